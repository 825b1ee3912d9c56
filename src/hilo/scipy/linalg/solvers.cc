// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/linalg/solvers.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "hilo/lax/custom_solve.h"
#include "hilo/lax/decompositions.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/lax/qdwh.h"
#include "hilo/linalg/support.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::linalg {

using hilo::linalg::square;
using lax::matrix::adjoint;

namespace {

/// Square matrices and right-hand sides with a common batch shape. A vector is a matrix of one column. As in JAX, for a
/// batch of matrices it may also be a batch of vectors.
struct System {
  Array a, b;
  bool vector, weak;  ///< b is a vector; both operands are weakly typed
};
System system_of(const char* what, const Array& a, const Array& b) {
  const Aval type = numpy::promote_types_inexact(std::vector{a, b});
  const Array x = ops::convert_element_type(square(what, a), type.shape.element_type());
  const Array y = ops::convert_element_type(b, type.shape.element_type());
  const bool vector = y.ndim() == 1 || (x.ndim() == y.ndim() + 1 && x.shape(-1) == y.shape(-1));
  const Array right = vector ? numpy::expand_dims(y, -1) : y;
  if (right.ndim() < 2 || right.shape(-2) != x.shape(-1))
    refuse(what, "wanted a[..., n, n] and b[..., n, k] or b[n]; got " + a.aval_shape().to_string() + " and " +
                     b.aval_shape().to_string());
  const auto batch_of = [](const Array& m) { return m.shape().first(m.shape().size() - 2); };
  const std::vector<int64_t> batch = numpy::broadcast_shapes(batch_of(x), batch_of(right));
  const auto spread = [&](const Array& m) {
    std::vector<int64_t> shape = batch;
    shape.insert(shape.end(), {m.shape(-2), m.shape(-1)});
    return numpy::spread_to(m, shape);
  };
  return {spread(x), spread(right), vector, type.weak_type};
}
Array triangular(const Array& a, const Array& b, bool lower, const Trans& trans, bool unit = false) {
  return lax::linalg::triangular_solve(a, b,
                                       {.left_side = true,
                                        .lower = lower,
                                        .transpose_a = trans.transposed(),
                                        .conjugate_a = trans.conjugated(),
                                        .unit_diagonal = unit});
}
Array without_column(const Array& x, bool vector) { return vector ? numpy::squeeze(x, -1) : x; }

}  // namespace

Array cholesky(const Operand& a, const TriangleOptions& o) {
  return hilo::linalg::cholesky(a, {.upper = !o.lower, .symmetrize_input = false});
}
ChoFactor cho_factor(const Operand& a, const TriangleOptions& o) { return {cholesky(a, o), o.lower}; }

Array cho_solve(const ChoFactor& f, const Operand& b) {
  const UserLocation here(b.location());
  const System s = system_of("cho_solve", f.c, b);
  const Array half = triangular(s.a, s.b, f.lower, f.lower ? 0 : 2);
  return without_column(triangular(s.a, half, f.lower, f.lower ? 2 : 0), s.vector);
}

LuResult lu(const Operand& a, const LuOptions& o) {
  const UserLocation here(a.location());
  if (o.permute_l) refuse("lu", "with permuted l there are two results. Hint: lu_with_permuted_l(a)");
  const Array x = hilo::linalg::matrix("lu", a);
  const lax::linalg::LuResult f = lax::linalg::lu(x);
  const int64_t m = x.shape(-2), n = x.shape(-1), k = std::min(m, n);
  const Array p =
      numpy::expand_dims(f.permutation, -2) == numpy::expand_dims(numpy::arange(m, f.permutation.dtype()), -1);
  const Array l = numpy::tril(f.lu, -1)(ellipsis, all, range(0, k)) + numpy::eye(m, {.M = k, .dtype = x.dtype()});
  return {numpy::astype(p, real_type_of(x.dtype())), l, numpy::triu(f.lu)(ellipsis, range(0, k), all)};
}

PermutedLuResult lu_with_permuted_l(const Operand& a) {
  const UserLocation here(a.location());
  const LuResult f = lu(a);
  return {numpy::matmul(numpy::astype(f.p, f.l.dtype()), f.l), f.u};
}

LuFactor lu_factor(const Operand& a) {
  const UserLocation here(a.location());
  const lax::linalg::LuResult f = lax::linalg::lu(hilo::linalg::matrix("lu_factor", a));
  return {f.lu, f.pivots};
}

Trans::Trans(int kind) : kind_(kind) {
  if (kind < 0 || kind > 2) refuse("trans", fmt::format("wanted 0, 1 or 2; got {}", kind));
}
Trans::Trans(const char* name) : kind_(0) {
  const std::string_view letter = name;
  if (letter != "N" && letter != "T" && letter != "C")
    refuse("trans", "wanted N, T or C; got '" + std::string(letter) + "'");
  kind_ = letter == "N" ? 0 : letter == "T" ? 1 : 2;
}

namespace {

/// Returns the row permutation from a sequence of exchanges.
Array permutation_of(const Array& pivots) {
  const int64_t n = pivots.shape(-1);
  const Array place = numpy::arange(n, pivots.dtype());
  Array order = numpy::broadcast_to(place, pivots.shape());
  for (int64_t i = 0; i < n; ++i) {
    const Array j = pivots(ellipsis, range(i, i + 1)), own = order(ellipsis, range(i, i + 1));
    const Array other = numpy::take_along_axis(order, j, -1);
    order = numpy::where(place == i, other, numpy::where(place == j, own, order));
  }
  return order;
}

}  // namespace

Array lu_solve(const LuFactor& f, const Operand& b, const TransOptions& o) {
  const UserLocation here(b.location());
  const System s = system_of("lu_solve", f.lu, b);
  std::vector<int64_t> batch(s.a.shape().begin(), s.a.shape().end() - 1);
  const Array order = numpy::spread_to(permutation_of(f.piv), batch);
  if (!o.trans.transposed()) {
    const Array y = triangular(s.a, lax::matrix::rows_in_order(s.b, order), true, 0, true);
    return without_column(triangular(s.a, y, false, 0), s.vector);
  }
  const Array y = triangular(s.a, s.b, false, o.trans);
  const Array x = triangular(s.a, y, true, o.trans, true);
  const Array back = numpy::astype(numpy::argsort(order, -1), order.dtype());
  return without_column(lax::matrix::rows_in_order(x, back), s.vector);
}

Array solve(const Operand& a, const Operand& b, const SolveOptions& o) {
  const UserLocation here(a.location());
  const std::string_view kind = o.assume_a;
  if (kind != "gen" && kind != "sym" && kind != "her" && kind != "pos")
    refuse("solve", "assume_a must be one of gen, sym, her, pos; got '" + std::string(kind) + "'");
  const System s = system_of("solve", a, b);
  if (kind != "pos") return without_column(with_weak_type(hilo::linalg::solve(s.a, s.b), s.weak), s.vector);
  // Derivatives are those of the linear system, not of the decomposition, which reads only one triangle.
  const ChoFactor factor = cho_factor(stop_gradient(s.a), {.lower = o.lower});
  const Array x = lax::custom_linear_solve(
      [&](const Array& v) { return numpy::matmul(s.a, v); }, s.b,
      [&](const auto&, const Array& c) { return cho_solve(factor, c); },
      [&](const auto&, const Array& c) { return numpy::conj(cho_solve(factor, numpy::conj(c))); });
  return without_column(x, s.vector);
}

Array solve_triangular(const Operand& a, const Operand& b, const SolveTriangularOptions& o) {
  const UserLocation here(a.location());
  const System s = system_of("solve_triangular", a, b);
  const Array out = triangular(s.a, s.b, o.lower, o.trans, o.unit_diagonal);
  return without_column(with_weak_type(out, s.weak), s.vector);
}

hilo::linalg::SvdResult svd(const Operand& a, const SvdOptions& o) {
  return hilo::linalg::svd(a, {.full_matrices = o.full_matrices, .compute_uv = o.compute_uv});
}
hilo::linalg::EighResult eigh(const Operand& a, const EighOptions& o) {
  const UserLocation here(a.location());
  if (o.eigvals_only) refuse("eigh", "without vectors there is one result. Hint: eigvalsh(a)");
  if (o.type != 1) refuse("eigh", "only type 1, a v = v w, is implemented; got " + std::to_string(o.type));
  return hilo::linalg::eigh(a, {.UPLO = o.lower ? "L" : "U"});
}
Array eigvalsh(const Operand& a, const TriangleOptions& o) {
  return hilo::linalg::eigvalsh(a, {.UPLO = o.lower ? "L" : "U"});
}

namespace {

/// The polar factors x = u h of matrices with no more columns than rows.
struct Polar {
  Array u, h;
};
int64_t count_of(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}
Polar polar_by_qdwh(const Array& x, const PolarOptions& o) {
  const lax::linalg::QdwhOptions options = {.max_iterations = o.max_iterations, .eps = o.eps};
  const auto one = [=](const Array& m) {
    const lax::linalg::QdwhResult f = lax::linalg::qdwh(m, options);
    return Polar{f.u, f.h};
  };
  if (x.ndim() == 2) return one(x);
  const int64_t m = x.shape(-2), n = x.shape(-1);
  const Polar all = vmap(one)(numpy::reshape(x, {count_of(lax::matrix::batch_shape(x)), m, n}));
  const auto back = [&](const Array& y) {
    return numpy::reshape(y, lax::matrix::joined(lax::matrix::batch_shape(x), {y.shape(-2), n}));
  };
  return {back(all.u), back(all.h)};
}

/// Computes the polar decomposition of any matrix by SVD.
PolarResult polar_by_svd(const Array& x, bool left) {
  const auto [u, s, vh] = hilo::linalg::svd(x, {.full_matrices = false});
  const Array scale = numpy::astype(numpy::expand_dims(s, -2), u.dtype());
  const Array unitary = numpy::matmul(u, vh);
  if (left) return {unitary, numpy::matmul(u * scale, adjoint(u))};
  return {unitary, numpy::matmul(adjoint(vh) * scale, vh)};
}

/// Returns the derivatives of u and h by x. With K = u^H dx, the skew-Hermitian solution W of W h + h W = K - K^H
/// rotates u, and dh = K - W h.
Polar polar_tangents(const Polar& f, const Array& dx) {
  const auto [w, v] = hilo::linalg::eigh(f.h);
  const auto turned = [&v = v](const Array& y) { return numpy::matmul(numpy::matmul(v, y), adjoint(v)); };
  const Array k = numpy::matmul(adjoint(f.u), dx), skew = numpy::matmul(numpy::matmul(adjoint(v), k - adjoint(k)), v);
  const Array sums = numpy::expand_dims(w, -1) + numpy::expand_dims(w, -2);
  const Array turn = turned(skew / numpy::astype(sums, v.dtype()));
  const Array inverse = turned(lax::matrix::diagonal_matrix(numpy::astype(1.0 / w, v.dtype())));
  const Array outside = numpy::matmul(dx - numpy::matmul(f.u, k), inverse);
  return {numpy::matmul(f.u, turn) + outside, k - numpy::matmul(turn, f.h)};
}

Polar tall_polar(const Array& x, const PolarOptions& o) {
  const bool by_qdwh = std::string_view(o.method) == "qdwh";
  using One = std::tuple<Array>;
  const auto value = [=](const Array& a) {
    if (by_qdwh) return polar_by_qdwh(a, o);
    const PolarResult f = polar_by_svd(a, false);
    return Polar{f.unitary, f.posdef};
  };
  return custom_jvp(value).defjvp([=](const One& primals, const One& tangents) {
    const Polar f = value(std::get<0>(primals));
    return std::pair(f, polar_tangents(f, std::get<0>(tangents)));
  })(x);
}

}  // namespace

PolarResult polar(const Operand& a, const PolarOptions& o) {
  const UserLocation here(a.location());
  const std::string_view side = o.side, method = o.method;
  if (side != "left" && side != "right") refuse("polar", "side must be left or right; got '" + std::string(side) + "'");
  if (method != "qdwh" && method != "svd")
    refuse("polar", "method must be qdwh or svd; got '" + std::string(method) + "'");
  const Array x = hilo::linalg::matrix("polar", a);
  const int64_t m = x.shape(-2), n = x.shape(-1);
  if (side == "right" && m >= n) {
    const Polar f = tall_polar(x, o);
    return {f.u, f.h};
  }
  if (side == "left" && m <= n) {
    const Polar f = tall_polar(adjoint(x), o);
    return {adjoint(f.u), f.h};
  }
  return polar_by_svd(x, side == "left");
}

Array hessenberg(const Operand& a, const HessenbergOptions& o) {
  const UserLocation here(a.location());
  if (o.calc_q) refuse("hessenberg", "with Q there are two results. Hint: hessenberg_with_q(a)");
  return numpy::triu(lax::linalg::hessenberg(square("hessenberg", a)).a, -1);
}
HessenbergResult hessenberg_with_q(const Operand& a) {
  const UserLocation here(a.location());
  const Array x = square("hessenberg", a);
  const int64_t n = x.shape(-1);
  if (n < 2) return {x, numpy::ones_like(x)};
  const lax::linalg::ReflectorsResult f = lax::linalg::hessenberg(x);
  const Array q = lax::linalg::householder_product(f.a(ellipsis, range(1, none), range(0, -1)), f.taus);
  const Array first = numpy::zeros_like(x).at(ellipsis, 0, 0).set(1);
  return {numpy::triu(f.a, -1), first.at(ellipsis, range(1, none), range(1, none)).set(q)};
}

Array solve_sylvester(const Operand& A, const Operand& B, const Operand& C, const SylvesterOptions& o) {
  constexpr const char* kName = "solve_sylvester";
  const UserLocation here(A.location());
  const std::string_view method = o.method;
  if (method != "schur" && method != "eigen")
    refuse(kName, "method must be schur or eigen; got '" + std::string(method) + "'");
  const auto [a0, c0] = hilo::linalg::same_type(square(kName, A), hilo::linalg::matrix(kName, C));
  const auto [b, c] = hilo::linalg::same_type(square(kName, B), c0);
  const Array a = hilo::linalg::same_type(a0, c).first;
  const int64_t m = a.shape(-1), n = b.shape(-1);
  if (c.shape(-2) != m || c.shape(-1) != n)
    refuse(kName, "wanted A[..., m, m], B[..., n, n], C[..., m, n]; got " + a.aval_shape().to_string() + ", " +
                      b.aval_shape().to_string() + " and " + c.aval_shape().to_string());
  // Coefficient of unknown (k, l) in equation (i, j): A[i, k] if j = l, plus B[l, j] if i = k.
  const auto spread = [](const Array& x, const Indexer& i, const Indexer& j, const Indexer& k, const Indexer& l) {
    return x(ellipsis, i, j, k, l);
  };
  const Array one_m = numpy::eye(m, a.dtype()), one_n = numpy::eye(n, a.dtype());
  const Array left = spread(a, all, newaxis, all, newaxis) * spread(one_n, newaxis, all, newaxis, all);
  const Array right =
      spread(one_m, all, newaxis, all, newaxis) * spread(numpy::matrix_transpose(b), newaxis, all, newaxis, all);
  const Array both = left + right;
  Dimensions matrix(both.shape().begin(), both.shape().end() - 4), vector(c.shape().begin(), c.shape().end() - 2);
  matrix.insert(matrix.end(), {m * n, m * n});
  vector.insert(vector.end(), {m * n, 1});
  const Array x = hilo::linalg::solve(numpy::reshape(both, matrix), numpy::reshape(c, vector));
  Dimensions out(x.shape().begin(), x.shape().end() - 2);
  out.insert(out.end(), {m, n});
  const auto values = [](const Array& y) { return hilo::linalg::eigvals(stop_gradient(y)); };
  const Array sums = numpy::expand_dims(values(a), -1) + numpy::expand_dims(values(b), -2);
  const Array singular = numpy::any(numpy::abs(sums) < o.tol, {.axis = {-2, -1}, .keepdims = true});
  const Array solution = numpy::reshape(x, out), zero = numpy::zeros_like(solution);
  return numpy::where(singular, zero * std::numeric_limits<double>::quiet_NaN(), solution);
}

namespace {

Array tridiagonal(const Operand& d, const Operand& e) {
  const auto [diagonal, beside] =
      hilo::linalg::same_type(hilo::linalg::inexact(d.array()), hilo::linalg::inexact(e.array()));
  if (diagonal.ndim() != 1 || beside.ndim() != 1 || beside.shape(0) != diagonal.shape(0) - 1)
    refuse("eigh_tridiagonal", "wanted d[n] and e[n - 1]; got " + diagonal.aval_shape().to_string() + " and " +
                                   beside.aval_shape().to_string());
  return numpy::diag(diagonal) + numpy::diag(numpy::conj(beside), 1) + numpy::diag(beside, -1);
}

}  // namespace

hilo::linalg::EighResult eigh_tridiagonal(const Operand& d, const Operand& e) {
  return eigh_tridiagonal_with_vectors(d, e);
}

namespace {

/// Returns the indices of the first and last selected eigenvalue.
lax::linalg::IndexRange selected(std::string_view select, const lax::linalg::IndexRange& range, int64_t n) {
  constexpr const char* kName = "eigh_tridiagonal";
  if (select == "a") return {0, n - 1};
  if (select != "i") refuse(kName, "select must be a or i; got '" + std::string(select) + "'");
  if (!range) refuse(kName, "select i requires a select_range");
  if (range.first() < 0 || range.last() < range.first() || range.last() >= n)
    refuse(kName, fmt::format("select_range must be in 0..{}; got {} and {}", n - 1, range.first(), range.last()));
  return range;
}

}  // namespace

hilo::linalg::EighResult eigh_tridiagonal_with_vectors(const Operand& d, const Operand& e,
                                                       const TridiagonalSelection& o) {
  const UserLocation here(d.location());
  const hilo::linalg::EighResult f = hilo::linalg::eigh(tridiagonal(d, e));
  const auto numbers = selected(o.select, o.select_range, f.eigenvalues.shape(0));
  const auto part = range(numbers.first(), numbers.last() + 1);
  return {f.eigenvalues[part], f.eigenvectors(all, part)};
}
Array eigh_tridiagonal(const Operand& d, const Operand& e, const TridiagonalOptions& o) {
  const UserLocation here(d.location());
  if (!o.eigvals_only)
    refuse("eigh_tridiagonal", "with vectors there are two results. Hint: eigh_tridiagonal_with_vectors(d, e)");
  const Array values = hilo::linalg::eigvalsh(tridiagonal(d, e));
  const auto numbers = selected(o.select, o.select_range, values.shape(0));
  return values[range(numbers.first(), numbers.last() + 1)];
}

}  // namespace hilo::scipy::linalg
