// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/linalg/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/decompositions.h"
#include "hilo/lax/matrix.h"
#include "hilo/lax/slicing.h"
#include "hilo/linalg/support.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/linalg/solvers.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::linalg {

using hilo::linalg::square;
using lax::matrix::adjoint;

namespace {

Array as_complex(const Array& x) { return numpy::astype(x, numpy::result_type(x, ElementType::kC64)); }

}  // namespace

SchurResult schur(const Operand& a, const SchurOptions& o) {
  const UserLocation here(a.location());
  const std::string_view output = o.output;
  if (output != "real" && output != "complex")
    refuse("schur", "output must be real or complex; got '" + std::string(output) + "'");
  Array x = square("schur", a);
  if (output == "complex") x = as_complex(with_weak_type(x, false));
  const std::vector<Array> f = lax::linalg::schur(x);
  return {f[0], f[1]};
}

namespace {

/// Row and column indices of matrices like `x`.
struct Places {
  Array row, column;
};
Places places(const Array& x) {
  const Array numbers = numpy::arange(x.shape(-1), ElementType::kS32);
  return {numpy::expand_dims(numbers, 1), numpy::expand_dims(numbers, 0)};
}

/// Returns the 2 x 2 unitary matrix that zeroes the entry below the diagonal of `block`.
Array rotation(const Array& block) {
  const Array below = block(ellipsis, 1, 0);
  const Array shift = hilo::linalg::eigvals(block)(ellipsis, 0) - block(ellipsis, 1, 1);
  const Array length = numpy::sqrt(hilo::linalg::squared_size(shift) + hilo::linalg::squared_size(below));
  const Array r = numpy::astype(length, block.dtype()), c = shift / r, s = below / r;
  const auto row = [](const Array& x, const Array& y) { return numpy::stack({x, y}, -1); };
  return numpy::stack({row(numpy::conj(c), s), row(-s, c)}, -2);
}

/// Multiplies rows m - 1 and m of t, from column m - 1 on, by g, and the same columns of t and z by its adjoint.
SchurResult turned(const SchurResult& f, const Array& g, const Array& m) {
  const auto [row, column] = places(f.T);
  const Array first = m - 1, back = adjoint(g);
  const auto two = [&](const Array& x, int64_t axis) { return lax::dynamic_slice_in_dim(x, first, 2, axis); };
  const auto put = [&](const Array& x, const Array& part, int64_t axis) {
    return lax::dynamic_update_slice_in_dim(x, part, first, axis);
  };
  const int64_t rows = f.T.ndim() - 2, columns = rows + 1;
  const Array old_rows = two(f.T, rows);
  Array t = put(f.T, numpy::where(column >= first, numpy::matmul(g, old_rows), old_rows), rows);
  const Array old_columns = two(t, columns);
  t = put(t, numpy::where(row <= m, numpy::matmul(old_columns, back), old_columns), columns);
  return {t, put(f.Z, numpy::matmul(two(f.Z, columns), back), columns)};
}

/// Makes block (m - 1, m) of the real form triangular.
SchurResult without_block(const SchurResult& f, const Array& m) {
  const int64_t rows = f.T.ndim() - 2;
  const Array block = lax::dynamic_slice_in_dim(lax::dynamic_slice_in_dim(f.T, m - 1, 2, rows), m - 1, 2, rows + 1);
  const auto size = [&](int64_t i, int64_t j) { return numpy::abs(block(ellipsis, i, j)); };
  const Array some = size(1, 0) > hilo::linalg::epsilon_of(real_type_of(f.T.dtype())) * (size(0, 0) + size(1, 1));
  const Array selected = numpy::expand_dims(some, {-2, -1});
  // If there is no block, uses one that has a rotation: derivatives of unselected values must be finite.
  const Array safe = numpy::where(selected, block, numpy::astype(numpy::array({{1, 0}, {1, 2}}), block.dtype()));
  const SchurResult next = turned(f, rotation(safe), m);
  const auto [row, column] = places(f.T);
  const Array gone = (row == m) & (column == m - 1);
  const Array t = numpy::where(selected, next.T, f.T);
  return {numpy::where(gone, numpy::zeros_like(t), t), numpy::where(selected, next.Z, f.Z)};
}

}  // namespace

SchurResult rsf2csf(const Operand& T, const Operand& Z) {
  const UserLocation here(T.location());
  const Array t0 = as_complex(square("rsf2csf", T)), z0 = as_complex(square("rsf2csf", Z));
  const int64_t n = t0.shape(-1);
  if (z0.shape(-1) != n)
    refuse("rsf2csf", "T and Z must be matrices of one size; got " + t0.aval_shape().to_string() + " and " +
                          z0.aval_shape().to_string());
  const auto [t, z] = hilo::linalg::same_type(t0, z0);
  const std::vector<int64_t> shape = numpy::broadcast_shapes(t.shape(), z.shape());
  const SchurResult start = {numpy::spread_to(t, shape), numpy::spread_to(z, shape)};
  if (n < 2) return start;
  return lax::fori_loop(
      1, n, [&](const Array& i, const SchurResult& f) { return without_block(f, numpy::astype(n - i, int32)); }, start);
}

// ---- functions of matrices ------------------------------------------------------------------------------------------
namespace {

/// Returns the numerator and denominator of the Pade approximation of degree (m, m).
std::pair<Array, Array> pade(const Array& a, int m) {
  const Array one = numpy::eye(a.shape(-1), a.dtype()), squared = numpy::matmul(a, a);
  std::vector<double> c = {1};
  for (int j = 1; j <= m; ++j) c.push_back(c.back() * (m - j + 1) / (j * (2.0 * m - j + 1)));
  const auto terms = [&](int first) {
    Array sum = c[first] * one;
    for (int j = first - 2; j >= 0; j -= 2) sum = numpy::matmul(sum, squared) + c[j] * one;
    return sum;
  };
  const Array odd = numpy::matmul(a, terms(m)), even = terms(m - 1);
  return {even + odd, even - odd};
}

Array exponential(const Array& a, const ExpmOptions& o) {
  const bool wide = real_type_of(a.dtype()) == ElementType::kF64;
  const Array norm = stop_gradient(hilo::linalg::matrix_norm(a, {.keepdims = true, .ord = 1}));
  const Array needed =
      numpy::maximum(0.0, numpy::ceil(numpy::log2(norm / (wide ? 5.371920351148152 : 3.92572478313866))));
  const Array scale = numpy::astype(numpy::power(2.0, -needed), a.dtype());
  const auto [top, below] = pade(a * scale, wide ? 13 : 7);
  const Array first = o.upper_triangular ? solve_triangular(below, top) : hilo::linalg::solve(below, top);
  const auto squared = [&](const Array& i, const Array& r) {
    return numpy::where(numpy::astype(i, needed.dtype()) < needed, numpy::matmul(r, r), r);
  };
  const Array out = lax::fori_loop(0, o.max_squarings, squared, first);
  return numpy::where(needed > static_cast<double>(o.max_squarings), std::numeric_limits<double>::quiet_NaN(), out);
}

}  // namespace

Array expm(const Operand& A, const ExpmOptions& options) {
  const UserLocation here(A.location());
  return exponential(square("expm", A), options);
}

ExpmFrechetResult expm_frechet(const Operand& A, const Operand& E, const FrechetOptions& o) {
  const UserLocation here(A.location());
  if (o.method && *o.method != std::string_view("SPS"))
    refuse("expm_frechet", "method must be SPS; got '" + std::string(*o.method) + "'");
  if (!o.compute_expm) refuse("expm_frechet", "both results are computed together. Hint: expm_frechet(A, E).frechet");
  const auto [a, e] = hilo::linalg::same_type(square("expm_frechet", A), square("expm_frechet", E));
  if (!std::ranges::equal(a.shape(), e.shape()))
    refuse("expm_frechet",
           "A and E must have one shape; got " + a.aval_shape().to_string() + " and " + e.aval_shape().to_string());
  const auto [value, slope] = jvp([](const Array& x) { return exponential(x, {}); }, std::tuple(a), std::tuple(e));
  return {value, slope};
}

namespace {

/// Builds the triangular matrix with this diagonal, one superdiagonal after another. entries(x) computes a diagonal
/// from x, which is zero from that diagonal on.
template <typename Entries>
Array by_diagonals(const Array& diagonal, const Entries& entries) {
  const Array start = lax::matrix::diagonal_matrix(diagonal);
  const auto [row, column] = places(start);
  const auto next = [&, row = row, column = column](const Array& k, const Array& x) {
    return numpy::where(column - row == k, entries(x), x);
  };
  return lax::fori_loop(1, diagonal.shape(-1), next, start);
}

/// All pairs (v_i, v_j).
struct Pairs {
  Array i, j;
};
Pairs pairs(const Array& v) { return {numpy::expand_dims(v, -1), numpy::expand_dims(v, -2)}; }

}  // namespace

Array sqrtm(const Operand& A, const SqrtmOptions& options) {
  const UserLocation here(A.location());
  if (options.blocksize > 1)
    or_throw(unimplemented(fmt::format("{}: blocksize must be 1; got {}", at_user_line("sqrtm"), options.blocksize)));
  const SchurResult f = schur(A, {.output = "complex"});
  const Array roots = numpy::sqrt(lax::matrix::diagonal(f.T));
  const auto [i, j] = pairs(roots);
  const Array u = by_diagonals(roots, [&, sum = i + j](const Array& x) {
    const Array rest = f.T - numpy::matmul(x, x);
    return numpy::where(rest == 0, numpy::zeros_like(rest), rest / sum);
  });
  return numpy::matmul(numpy::matmul(f.Z, u), adjoint(f.Z));
}

FunmResult funm_with_error(const Operand& A, const MatrixFunction& func) {
  const UserLocation here(A.location());
  const Array a = square("funm", A);
  if (a.ndim() != 2) refuse("funm", "wanted one square matrix; got " + a.aval_shape().to_string());
  const SchurResult real = schur(a), f = rsf2csf(real.T, real.Z);
  const Array values = lax::matrix::diagonal(f.T);
  const auto [i, j] = pairs(values);
  const Array gaps = j - i;
  const Array u = by_diagonals(numpy::astype(func(values), f.T.dtype()), [&](const Array& x) {
    const Array product = numpy::matmul(f.T, x) - numpy::matmul(x, f.T);
    return numpy::where(gaps == 0, product, product / numpy::where(gaps == 0, numpy::ones_like(gaps), gaps));
  });
  const Array result = numpy::matmul(numpy::matmul(f.Z, u), adjoint(f.Z));
  const double epsilon = hilo::linalg::epsilon_of(real_type_of(a.dtype()));
  const auto [row, column] = places(f.T);
  const Array sizes = numpy::where(column > row, numpy::abs(gaps), numpy::inf);
  const Array all = numpy::append(numpy::ravel(sizes), numpy::abs(values(range(0, 1))));
  const Array least = numpy::min(all), divisor = numpy::where(least == 0, epsilon, least);
  const Array norm = hilo::linalg::norm(numpy::triu(f.T), {.ord = 1});
  const Array err = numpy::minimum(1.0, numpy::maximum(epsilon, epsilon / divisor * norm));
  return {result, numpy::where(numpy::any(numpy::isinf(result)), numpy::inf, err)};
}

Array funm(const Operand& A, const MatrixFunction& func) { return funm_with_error(A, func).F; }
Array funm(const Operand& A, const MatrixFunction& func, const FunmOptions& options) {
  const UserLocation here(A.location());
  if (!options.disp) refuse("funm", "with the error there are two results. Hint: funm_with_error(A, func)");
  return funm_with_error(A, func).F;
}

}  // namespace hilo::scipy::linalg
