// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/linalg/solvers.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/decompositions.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/linalg/support.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::linalg {

using hilo::linalg::square;
using lax::matrix::adjoint;

namespace {

/// Square matrices and right sides with one batch; a vector of one dimension is a matrix of one column.
struct System {
  Array a, b;
  bool vector;
};
System system_of(const char* what, const Array& a, const Array& b) {
  const auto [x, y] = hilo::linalg::same_type(square(what, a), hilo::linalg::inexact(b));
  const bool vector = y.ndim() == 1;
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
  return {spread(x), spread(right), vector};
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

LuResult lu(const Operand& a) {
  const UserLocation here(a.location());
  const Array x = hilo::linalg::matrix("lu", a);
  const lax::linalg::LuResult f = lax::linalg::lu(x);
  const int64_t m = x.shape(-2), n = x.shape(-1), k = std::min(m, n);
  const Array p =
      numpy::expand_dims(f.permutation, -2) == numpy::expand_dims(numpy::arange(m, f.permutation.dtype()), -1);
  const Array l = numpy::tril(f.lu, -1)(ellipsis, all, range(0, k)) + numpy::eye(m, {.M = k, .dtype = x.dtype()});
  return {numpy::astype(p, real_type_of(x.dtype())), l, numpy::triu(f.lu)(ellipsis, range(0, k), all)};
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

/// The order of rows that the exchanges lead to.
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
  if (kind != "pos") return hilo::linalg::solve(a, b);
  return cho_solve(cho_factor(a, {.lower = o.lower}), b);
}

Array solve_triangular(const Operand& a, const Operand& b, const SolveTriangularOptions& o) {
  const UserLocation here(a.location());
  const System s = system_of("solve_triangular", a, b);
  return without_column(triangular(s.a, s.b, o.lower, o.trans, o.unit_diagonal), s.vector);
}

hilo::linalg::SvdResult svd(const Operand& a, const SvdOptions& o) {
  return hilo::linalg::svd(a, {.full_matrices = o.full_matrices, .compute_uv = o.compute_uv});
}
hilo::linalg::EighResult eigh(const Operand& a, const EighOptions& o) {
  const UserLocation here(a.location());
  if (o.eigvals_only) refuse("eigh", "without vectors there is one result. Hint: linalg::eigvalsh(a)");
  return hilo::linalg::eigh(a, {.UPLO = o.lower ? "L" : "U"});
}
hilo::linalg::QrResult qr(const Operand& a, const QrOptions& o) {
  const UserLocation here(a.location());
  const std::string_view mode = o.mode;
  if (o.pivoting)
    or_throw(unimplemented(at_user_line("qr") + ": pivoting isn't implemented. Hint: lax::linalg::geqp3"));
  if (mode != "full" && mode != "economic")
    refuse("qr", "unsupported mode '" + std::string(mode) + "'; wanted full or economic");
  return hilo::linalg::qr(a, {.mode = mode == "full" ? "complete" : "reduced"});
}

PolarResult polar(const Operand& a, const PolarOptions& o) {
  const UserLocation here(a.location());
  const std::string_view side = o.side, method = o.method;
  if (side != "left" && side != "right") refuse("polar", "side must be left or right; got '" + std::string(side) + "'");
  if (method != "qdwh" && method != "svd")
    refuse("polar", "method must be qdwh or svd; got '" + std::string(method) + "'");
  const auto [u, s, vh] = hilo::linalg::svd(a, {.full_matrices = false});
  const Array scale = numpy::astype(numpy::expand_dims(s, -2), u.dtype());
  const Array unitary = numpy::matmul(u, vh);
  if (side == "left") return {unitary, numpy::matmul(u * scale, adjoint(u))};
  return {unitary, numpy::matmul(adjoint(vh) * scale, vh)};
}

SchurResult schur(const Operand& a, const SchurOptions& o) {
  const UserLocation here(a.location());
  const std::string_view output = o.output;
  if (output != "real" && output != "complex")
    refuse("schur", "output must be real or complex; got '" + std::string(output) + "'");
  Array x = square("schur", a);
  if (output == "complex" && !is_complex(x.dtype()))
    x = numpy::astype(x, x.dtype() == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64);
  const std::vector<Array> f = lax::linalg::schur(x);
  return {f[0], f[1]};
}

// ---- functions of matrices ----------------------------------------------------------------------------------------------
namespace {

/// Numerator and denominator of Pade's approximation of degree (m, m).
std::pair<Array, Array> pade(const Array& a, int m) {
  const Array one = numpy::eye(a.shape(-1), a.dtype()), squared = numpy::matmul(a, a);
  std::vector<double> c = {1};
  for (int j = 1; j <= m; ++j) c.push_back(c.back() * (m - j + 1) / (j * (2.0 * m - j + 1)));
  const auto terms = [&](int first) {
    Array sum = c[static_cast<size_t>(first)] * one;
    for (int j = first - 2; j >= 0; j -= 2) sum = numpy::matmul(sum, squared) + c[static_cast<size_t>(j)] * one;
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
  if (!o.compute_expm) refuse("expm_frechet", "both results are computed together. Hint: expm_frechet(A, E).frechet");
  const auto [a, e] = hilo::linalg::same_type(square("expm_frechet", A), square("expm_frechet", E));
  if (!std::ranges::equal(a.shape(), e.shape()))
    refuse("expm_frechet",
           "A and E must have one shape; got " + a.aval_shape().to_string() + " and " + e.aval_shape().to_string());
  const auto [value, slope] = jvp([](const Array& x) { return exponential(x, {}); }, std::tuple(a), std::tuple(e));
  return {value, slope};
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

Array sqrtm(const Operand& A) {
  const UserLocation here(A.location());
  const auto [t, z] = schur(A, {.output = "complex"});
  const int64_t n = t.shape(-1);
  const auto at = [&](int64_t i, int64_t j) { return t(ellipsis, i, j); };
  std::vector<std::vector<Array>> u(static_cast<size_t>(n), std::vector<Array>(static_cast<size_t>(n)));
  const auto entry = [&](int64_t i, int64_t j) -> Array& { return u[static_cast<size_t>(i)][static_cast<size_t>(j)]; };
  for (int64_t j = 0; j < n; ++j) {
    entry(j, j) = numpy::sqrt(at(j, j));
    for (int64_t i = j - 1; i >= 0; --i) {
      Array rest = at(i, j);
      for (int64_t k = i + 1; k < j; ++k) rest = rest - entry(i, k) * entry(k, j);
      const Array sum = entry(i, i) + entry(j, j);
      entry(i, j) = numpy::where(rest == 0, numpy::zeros_like(rest), rest / sum);
    }
    for (int64_t i = j + 1; i < n; ++i) entry(i, j) = numpy::zeros_like(at(i, j));
  }
  std::vector<Array> rows;
  for (const std::vector<Array>& row : u) rows.push_back(numpy::stack(row, -1));
  return numpy::matmul(numpy::matmul(z, numpy::stack(rows, -2)), adjoint(z));
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
  // Unknown (k, l), equation (i, j): A[i, k] where j = l, and B[l, j] where i = k.
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
  return numpy::where(singular, std::numeric_limits<double>::quiet_NaN(), numpy::reshape(x, out));
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
  const UserLocation here(d.location());
  return hilo::linalg::eigh(tridiagonal(d, e));
}
Array eigh_tridiagonal(const Operand& d, const Operand& e, const TridiagonalOptions& o) {
  constexpr const char* kName = "eigh_tridiagonal";
  const UserLocation here(d.location());
  const std::string_view select = o.select;
  if (!o.eigvals_only) refuse(kName, "with vectors it takes no options. Hint: eigh_tridiagonal(d, e)");
  if (select != "a" && select != "i") refuse(kName, "select must be a or i; got '" + std::string(select) + "'");
  const Array values = hilo::linalg::eigvalsh(tridiagonal(d, e));
  if (select == "a") return values;
  const auto [first, last] = o.select_range.value_or(std::pair<int64_t, int64_t>(-1, -1));
  if (first < 0 || last < first || last >= values.shape(0))
    refuse(kName, fmt::format("select_range must lie in 0..{}; got {} and {}", values.shape(0) - 1, first, last));
  return values[range(first, last + 1)];
}

}  // namespace hilo::scipy::linalg
