// SPDX-License-Identifier: Apache-2.0
#include "hilo/linalg/linalg.h"

#include <algorithm>
#include <limits>

#include "hilo/lax/decompositions.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/sorting.h"
#include "hilo/linalg/support.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"

namespace hilo::linalg {

using namespace hilo::lax::matrix;  // the matrix functions that all files of linalg use
using ops::add;
using ops::convert_element_type;
using ops::div;
using ops::full_like;
using ops::mul;
using ops::sub;

Array cholesky(const Operand& a, const CholeskyOptions& o) {
  const auto [upper, symmetrize_input] = o;
  const UserLocation here(a.location());
  const Array x = square("cholesky", a);
  if (!upper) return lax::linalg::cholesky(x, symmetrize_input);
  return adjoint(lax::linalg::cholesky(symmetrize_input ? x : adjoint(x), symmetrize_input));
}

namespace {

/// Solves a x = b for matrices of right-hand sides.
Array solve_matrices(const Array& a, const Array& b) {
  const lax::linalg::LuResult f = lax::linalg::lu(a);
  const Array y = lax::linalg::triangular_solve(f.lu, rows_in_order(b, f.permutation),
                                                {.left_side = true, .lower = true, .unit_diagonal = true});
  return lax::linalg::triangular_solve(f.lu, y, {.left_side = true});
}

/// Returns the sign of each permutation: -1 for an odd number of row exchanges, else 1.
Array parity_sign(const Array& pivots, ElementType type) {
  const Array own = ops::iota(pivots.aval_shape(), pivots.ndim() - 1);
  const Array moved = convert_element_type(ops::ne(pivots, own), ElementType::kS32);
  const Array odd = ops::bitwise_and(ops::reduce_sum(moved, {pivots.ndim() - 1}), full_like_last(pivots, 1));
  return sub(ops::full(typed(odd, type), 1), mul(convert_element_type(odd, type), ops::full(typed(odd, type), 2)));
}

}  // namespace

Array solve(const Operand& a, const Operand& b) {
  const UserLocation here(a.location());
  const Aval type = numpy::promote_types_inexact(std::vector{a.array(), b.array()});
  const Array x = ops::convert_element_type(square("solve", a), type.shape.element_type());
  const Array y = ops::convert_element_type(b, type.shape.element_type());
  const bool vector = y.ndim() == 1;
  const Array right = vector ? ops::reshape(y, std::vector<int64_t>{y.shape(0), 1}) : y;
  if (right.ndim() < 2 || rows(right) != rows(x)) {
    refuse("solve", "got " + x.aval_shape().to_string() + " and " + y.aval_shape().to_string() +
                        "; wanted a[..., n, n] and b[..., n, k], or b[n]");
  }
  const std::vector<int64_t> batch = numpy::broadcast_shapes(batch_shape(x), batch_shape(right));
  const auto spread = [&](const Array& m) {
    std::vector<int64_t> shape = batch;
    shape.insert(shape.end(), {rows(m), columns(m)});
    return numpy::spread_to(m, shape);
  };
  const Array solved = with_weak_type(solve_matrices(spread(x), spread(right)), type.weak_type);
  return vector ? numpy::squeeze(solved, -1) : solved;
}

Array inv(const Operand& a) {
  const UserLocation here(a.location());
  const Array x = square("inv", a);
  return solve_matrices(x, identity(x.aval_shape()));
}

namespace {

/// Returns the element in row i, column j of each matrix.
Array element(const Array& x, int64_t i, int64_t j) {
  return ops::reshape(column_range(row_range(x, i, 1), j, 1), batch_shape(x));
}

/// Computes the determinant of 2 x 2 and 3 x 3 matrices by formula. It is a polynomial, so that all derivatives are
/// correct everywhere.
Array det_by_formula(const Array& x) {
  const auto minor = [&](int64_t row, int64_t left, int64_t right) {
    return sub(mul(element(x, row, left), element(x, row + 1, right)),
               mul(element(x, row, right), element(x, row + 1, left)));
  };
  if (rows(x) == 1) return element(x, 0, 0);
  if (rows(x) == 2) return minor(0, 0, 1);
  const auto term = [&](int64_t k, int64_t left, int64_t right) {
    return mul(element(x, 0, k), minor(1, left, right));
  };
  return add(sub(term(0, 1, 2), term(1, 0, 2)), term(2, 0, 1));
}

/// Computes the determinant as the product of the pivots, with the sign of the row permutation.
Array det_by_pivots(const Array& x) {
  const lax::linalg::LuResult f = lax::linalg::lu(x);
  const Array product_of_pivots =
      ops::reduce(hlo::Opcode::kMultiply, diagonal(f.lu), ops::scalar(1, x.dtype()), {x.ndim() - 2});
  return mul(product_of_pivots, parity_sign(f.pivots, x.dtype()));
}

/// Broadcasts one value for each matrix to the elements of `x`.
Array broadcast_per_matrix(const Array& value, const Array& x) {
  return ops::broadcast_in_dim(value, typed(x, value.dtype()), ops::all_dimensions(value.ndim()));
}

/// Computes the determinant by two LU decompositions. The derivative of det_by_pivots is correct only if all pivots but
/// the last are nonzero. The first decomposition finds a column without a pivot, which is moved to the end. With
/// several such columns the derivative is zero, as in JAX.
Array det_by_lu(const Array& x) {
  const int64_t last = x.ndim() - 2;
  const Array pivots = diagonal(lax::linalg::lu(stop_gradient(x)).lu);
  const Array missing = convert_element_type(ops::eq(pivots, full_like(pivots, 0)), ElementType::kS32);
  const Array number = ops::iota(missing.aval_shape(), last);
  const Array count = ops::reduce_sum(missing, {last});
  const Array ordered =
      transposed(rows_in_order(transposed(x), lax::sort_key_val(missing, number, {.dimension = last}).second));
  // Moving column j to position n - 1 exchanges it with n - 1 - j columns.
  const Array passed =
      ops::reduce_sum(mul(missing, sub(full_like(number, static_cast<double>(columns(x) - 1)), number)), {last});
  const Array odd = convert_element_type(ops::bitwise_and(passed, full_like(passed, 1)), x.dtype());
  const Array several = ops::gt(count, full_like(count, 1));
  const Array det = det_by_pivots(ops::select(broadcast_per_matrix(several, x), identity(x.aval_shape()), ordered));
  return ops::select(several, full_like(det, 0), mul(det, sub(full_like(odd, 1), scaled(odd, 2))));
}

}  // namespace

Array det(const Operand& a) {
  const UserLocation here(a.location());
  const Array x = square("det", a);
  if (rows(x) == 0) return ops::full(Shape::array(x.dtype(), batch_shape(x)), 1);
  return rows(x) <= 3 ? det_by_formula(x) : det_by_lu(x);
}

namespace {

/// Computes log|det| from the diagonal of R, and the sign of det(Q) by LU.
SlogdetResult slogdet_by_qr(const Array& x) {
  const lax::linalg::QrResult f = lax::linalg::qr(x, false);
  const Array d = diagonal(f.r), size = ops::abs(d);
  const Array zero = ops::eq(size, full_like(size, 0));
  const Array unit = div(d, convert_element_type(ops::select(zero, full_like(size, 1), size), x.dtype()));
  const Array signs = ops::reduce(hlo::Opcode::kMultiply, unit, ops::scalar(1, x.dtype()), {x.ndim() - 2});
  const Array sign = mul(signs, slogdet(stop_gradient(f.q)).sign);
  return {is_complex(x.dtype()) ? sign : stop_gradient(sign), ops::reduce_sum(ops::log(size), {x.ndim() - 2})};
}

}  // namespace

SlogdetResult slogdet(const Operand& a, const SlogdetOptions& o) {
  const UserLocation here(a.location());
  const Array x = square("slogdet", a);
  const std::string_view method = o.method.value_or("lu");
  if (method == "qr") return slogdet_by_qr(x);
  if (method != "lu") refuse("slogdet", "method '" + std::string(method) + "' is unknown; wanted lu or qr");
  const lax::linalg::LuResult f = lax::linalg::lu(x);
  const Array d = diagonal(f.lu), size = ops::abs(d);
  const Array zero = ops::eq(size, full_like(size, 0));
  const Array unit = div(d, convert_element_type(ops::select(zero, full_like(size, 1), size), x.dtype()));
  const Array signs = ops::reduce(hlo::Opcode::kMultiply, unit, ops::scalar(1, x.dtype()), {x.ndim() - 2});
  const Array sign = mul(signs, parity_sign(f.pivots, x.dtype()));
  const auto weak_as = [&](const Array& v) { return with_weak_type(v, a.array().weak_type()); };
  // The sign of a real determinant is piecewise constant. stop_gradient, because the derivative of its formula is
  // undefined if a pivot is zero.
  return {weak_as(is_complex(x.dtype()) ? sign : stop_gradient(sign)),
          weak_as(ops::reduce_sum(ops::log(size), {x.ndim() - 2}))};
}

QrResult qr(const Operand& a, const QrOptions& o) {
  const UserLocation here(a.location());
  const std::string_view mode = o.mode;
  if (mode == "r") refuse("qr", "mode 'r' has one result. Hint: qr(a).r");
  if (mode != "reduced" && mode != "full" && mode != "complete" && mode != "raw")
    refuse("qr", "unsupported mode '" + std::string(mode) + "'; wanted reduced, full, complete or raw");
  if (mode == "raw") {
    const lax::linalg::ReflectorsResult f = lax::linalg::geqrf(matrix("qr", a));
    return {transposed(f.a), f.taus};
  }
  const lax::linalg::QrResult r = lax::linalg::qr(matrix("qr", a), mode == "complete");
  return {r.q, r.r};
}

namespace {

/// Permutes columns, as specified by each row of `order`.
Array columns_in_order(const Array& x, const Array& order) { return transposed(rows_in_order(transposed(x), order)); }
/// SVD of a Hermitian matrix with eigenvalues w and eigenvectors u: s = |w| in descending order, v = u * sign(w).
SvdResult hermitian_svd(const Array& x) {
  const lax::linalg::EighResult f = lax::linalg::eigh(x, true, true);
  const Array sizes = ops::abs(f.w);
  const Array order = numpy::astype(numpy::flip(numpy::argsort(sizes, -1), -1), ElementType::kS32);
  const Array w = numpy::take_along_axis(f.w, order, -1), u = columns_in_order(f.v, order);
  const Array signs = numpy::where(w < 0, -1.0, numpy::ones_like(w));
  return {u, ops::abs(w), adjoint(u * numpy::astype(numpy::expand_dims(signs, -2), u.dtype()))};
}

}  // namespace

SvdResult svd(const Operand& a, const SvdOptions& o) {
  const UserLocation here(a.location());
  if (!o.compute_uv) refuse("svd", "without vectors there is one result. Hint: svdvals(a)");
  if (o.hermitian) {
    if (o.subset_by_index) refuse("svd", "subset_by_index is not supported with hermitian = true");
    return hermitian_svd(square("svd", a));
  }
  const std::vector<Array> r =
      lax::linalg::svd(matrix("svd", a), {.full_matrices = o.full_matrices, .subset_by_index = o.subset_by_index});
  return {r[0], r[1], r[2]};
}

Array svdvals(const Operand& a) {
  const UserLocation here(a.location());
  return lax::linalg::svd(matrix("svdvals", a), false, false)[0];
}

EighResult eigh(const Operand& a, const EighOptions& o) {
  const UserLocation here(a.location());
  const std::string_view triangle = o.UPLO.value_or("L");
  if (triangle != "L" && triangle != "U") refuse("eigh", "UPLO must be L or U; got '" + std::string(triangle) + "'");
  const lax::linalg::EighResult r = lax::linalg::eigh(square("eigh", a), triangle == "L", o.symmetrize_input);
  return {r.w, r.v};
}

Array eigvalsh(const Operand& a, const EighOptions& options) { return eigh(a, options).eigenvalues; }

EighResult eig(const Operand& a) {
  const UserLocation here(a.location());
  const std::vector<Array> r = lax::linalg::eig(square("eig", a), false, true);
  return {r[0], r[1]};
}

Array eigvals(const Operand& a) {
  const UserLocation here(a.location());
  return lax::linalg::eig(square("eigvals", a), false, false)[0];
}

namespace {

/// Returns 1 / s where `retained`, else 0.
Array inverse_of(const Array& s, const Array& retained) {
  return ops::select(retained, div(full_like(s, 1), ops::select(retained, s, full_like(s, 1))), full_like(s, 0));
}
/// Computes the pseudo-inverse from a decomposition u, s, vh and the mask of retained singular values.
Array pseudo_inverse(const std::vector<Array>& f, const Array& retained) {
  const Array uh = adjoint(f[0]), inverse = along_columns(inverse_of(f[1], retained), uh);
  return product(adjoint(f[2]), mul(uh, convert_element_type(inverse, uh.dtype())));
}

/// Returns the derivative of x = A^+ b, with P = A^+ and r = b - A x: -P dA x + P P^H dA^H r + (1 - P A) dA^H P^H x + P
/// db. It holds for all matrices of the rank of A, whatever their singular values.
/// Source    Golub and Pereyra, "The differentiation of pseudo-inverses" (1973)
Array pseudo_solution_tangent(const Array& a, const Array& da, const Array& p, const Array& x, const Array& rest) {
  const Array dah = adjoint(da), back = product(dah, product(adjoint(p), x));
  const Array inside = sub(product(p, product(adjoint(p), product(dah, rest))), product(p, product(da, x)));
  return add(inside, sub(back, product(p, product(a, back))));
}

}  // namespace

LstsqResult lstsq(const Operand& a, const Operand& b, const LstsqOptions& o) {
  const UserLocation here(a.location());
  const auto [x, y] = same_type(matrix("lstsq", a), inexact(b));
  const bool vector = y.ndim() == 1;
  const Array right = vector ? ops::reshape(y, std::vector<int64_t>{y.shape(0), 1}) : y;
  if (x.ndim() != 2 || right.ndim() != 2 || rows(right) != rows(x)) {
    refuse("lstsq", "got " + x.aval_shape().to_string() + " and " + y.aval_shape().to_string() +
                        "; wanted a[m, n] and b[m] or b[m, k]");
  }
  const double epsilon = epsilon_of(x.dtype());
  const double least =
      o.rcond ? (*o.rcond < 0 ? epsilon : *o.rcond) : epsilon * static_cast<double>(std::max(rows(x), columns(x)));
  const auto retained = [least](const Array& s) {
    return ops::bitwise_and(ops::gt(s, full_like(s, 0)), ops::ge(s, scaled(greatest(s), least)));
  };
  const auto solved = [retained](const Array& x, const Array& b) {
    const std::vector<Array> f = lax::linalg::svd(x, false, true);
    const Array turned = product(adjoint(f[0]), b), inverse = along_columns(inverse_of(f[1], retained(f[1])), turned);
    return std::tuple(product(adjoint(f[2]), mul(turned, convert_element_type(inverse, x.dtype()))), f[1]);
  };
  using Two = std::tuple<Array, Array>;
  const auto rule = [retained](const Two& at, const Two& along) {
    const auto& [x, b] = at;
    const auto& [dx, db] = along;
    const std::vector<Array> f = lax::linalg::svd(x, false, true);
    const Array p = pseudo_inverse(f, retained(f[1])), solution = product(p, b);
    const Array ds = real_part(diagonal(product(product(adjoint(f[0]), dx), adjoint(f[2]))));
    const Array change = pseudo_solution_tangent(x, dx, p, solution, sub(b, product(x, solution)));
    return std::pair(Two(solution, f[1]), Two(add(change, product(p, db)), ds));
  };
  const auto [solution, s] = custom_jvp(solved).defjvp(rule)(x, right);
  const Array rest = sub(right, product(x, solution));
  Array residual = ops::reduce_sum(squared_size(rest), {0});
  const Array rank = ops::reduce_sum(convert_element_type(retained(s), default_integer()), {0});
  if (o.numpy_resid && (rows(x) <= columns(x) || rank.item<int64_t>() < columns(x)))
    residual = ops::full(Shape::array(default_float(), {0}), 0);
  return {vector ? ops::reshape(solution, std::vector<int64_t>{columns(x)}) : solution, residual, rank, s};
}

namespace {
/// Returns the threshold for singular values, in the shape of s: the maximum of s times `rtol`, or times `factor` *
/// epsilon * max(m, n).
Array tolerance(const Array& s, const Array& x, const std::optional<Array>& rtol, double factor) {
  const double by_default = factor * epsilon_of(s.dtype()) * static_cast<double>(std::max(rows(x), columns(x)));
  if (!rtol) return scaled(greatest(s), by_default);
  const Array part = rtol->ndim() == 0 ? *rtol : numpy::expand_dims(*rtol, -1);
  return numpy::broadcast_to(numpy::astype(part, s.dtype()) * greatest(s), s.shape());
}
}  // namespace

Array pinv(const Operand& a, const PinvOptions& o) {
  const UserLocation here(a.location());
  if (o.rtol && o.rcond) refuse("pinv", "rtol and rcond are two names of one argument; got both");
  const Array x = matrix("pinv", a);
  if (x.size() == 0) return numpy::matrix_transpose(x);
  const auto value = [o](const Array& a) {
    const SvdResult f = svd(a, {.full_matrices = false, .hermitian = o.hermitian});
    return pseudo_inverse({f.u, f.s, f.vh}, ops::gt(f.s, tolerance(f.s, a, o.rtol ? o.rtol : o.rcond, 10)));
  };
  using One = std::tuple<Array>;
  return custom_jvp(value).defjvp([value](const One& at, const One& along) {
    const Array &a = std::get<0>(at), p = value(a), ap = product(a, p);
    return std::pair(p, pseudo_solution_tangent(a, std::get<0>(along), p, p, sub(identity(ap.aval_shape()), ap)));
  })(x);
}

Array matrix_rank(const Operand& M, const MatrixRankOptions& o) {
  const UserLocation here(M.location());
  if (o.rtol && o.tol) refuse("matrix_rank", "rtol and tol are two names of one argument; got both");
  if (M.array().ndim() < 2) return numpy::astype(numpy::any(M.array() != 0), default_integer());
  const Array x = matrix("matrix_rank", M);
  const Array s = o.hermitian ? ops::abs(eigvalsh(x)) : lax::linalg::svd(x, false, false)[0];
  const Array retained = ops::gt(s, tolerance(s, x, o.rtol ? o.rtol : o.tol, 1));
  return ops::reduce_sum(convert_element_type(retained, default_integer()), {s.ndim() - 1});
}

Array matrix_power(const Operand& a, int64_t n) {
  const UserLocation here(a.location());
  // Integers stay integers, unless an inverse is needed.
  const Array checked = square("matrix_power", a);
  Array base = n < 0 ? checked : a.array();
  if (n == 0) return identity(base.aval_shape());
  if (n < 0) base = inv(base);
  const numpy::ProductOptions highest = {.precision = lax::Precision::HIGHEST};
  std::optional<Array> result;
  for (uint64_t left = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);;) {
    if (left & 1) result = result ? numpy::matmul(*result, base, highest) : base;
    if ((left >>= 1) == 0) return *result;
    base = numpy::matmul(base, base, highest);
  }
}

Array matrix_transpose(const Operand& x) {
  const UserLocation here(x.location());
  if (x.array().ndim() < 2)
    refuse("matrix_transpose", "wanted at least 2 dimensions; got " + x.array().aval_shape().to_string());
  return transposed(x);
}

}  // namespace hilo::linalg
