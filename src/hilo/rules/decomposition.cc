// SPDX-License-Identifier: Apache-2.0
// rules/decomposition.cc -- rules of the linear algebra extension ops. Derivatives are JAX's.
#include "hilo/hlo/ops/ext/linalg.h"

#include <cmath>
#include <limits>

#include "hilo/lax/decompositions.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/rules/batch_leading.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/rules/free_turns.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/lifts.h"

namespace hilo::rules {

using namespace lax;
namespace {

using namespace hilo::rules::matrix;  // the rules are formulas of these
using ops::add;
using ops::convert_element_type;
using ops::div;
using ops::full_like;
using ops::mul;
using ops::neg;
using ops::sub;

[[noreturn]] void refuse(const char* what) {
  or_throw(unimplemented(std::string(what) + " (" + UserLocation::describe() + ")"));
  __builtin_unreachable();
}

/// Returns `u` with 1 as its pivot number `k`, counted from 1.
Array with_last_pivot_one(const Array& u, int64_t k) {
  const Shape numbers = typed(u, ElementType::kS32);
  const Array row = ops::iota(numbers, u.ndim() - 2), column = ops::iota(numbers, u.ndim() - 1);
  const Array last = full_like(row, static_cast<double>(k - 1));
  return ops::select(ops::bitwise_and(ops::eq(row, last), ops::eq(column, last)), full_like(u, 1), u);
}

/// For square L and U: dL U + L dU = P dA. So L^-1 P dA U^-1 has F = L^-1 dL strictly below its diagonal, and dU = L^-1
/// P dA - F U. F's last column is zero if there are no more rows than columns; the last pivot then has no effect and
/// may be zero.
JvpResult lu_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const std::vector<Array> results = bind(operation);
  if (tangents[0].is_zero()) return {results, {Tangent(), Tangent(), Tangent()}};
  const Array &lu = results[0], &change = tangents[0].value();
  const int64_t m = rows(lu), n = columns(lu), k = std::min(m, n);
  Array l = padded(tril(column_range(lu, 0, k), -1), 0, m - k);
  l = add(l, identity(l.aval_shape()));
  Array u = padded(triu(row_range(lu, 0, k)), n - k, 0);
  const Shape numbers = typed(u, ElementType::kS32);
  const Array behind = ops::ge(ops::iota(numbers, u.ndim() - 2), ops::full(numbers, static_cast<double>(k)));
  u = add(u, ops::select(behind, identity(u.aval_shape()), full_like(u, 0)));
  const Array permuted = rows_in_order(change, results[2]);
  const Array left = linalg::triangular_solve(l, permuted, {.left_side = true, .lower = true, .unit_diagonal = true});
  const Array f = tril(linalg::triangular_solve(m <= n ? with_last_pivot_one(u, k) : u, left, {}), -1);
  const Array tangent = add(product(l, f), triu(sub(left, product(f, u))));
  return {results, {tangent, Tangent(), Tangent()}};
}

/// Returns dQ and dR for dX, where X = Q R with R square.
std::pair<Array, Array> thin_qr_tangents(const Array& q, const Array& r, const Array& dx) {
  const Array dx_rinv = linalg::triangular_solve(r, dx, {});
  const Array qt_dx_rinv = product(adjoint(q), dx_rinv);
  const Array lower = tril(qt_dx_rinv, -1);
  Array omega = sub(lower, adjoint(lower));
  // For complex matrices the diagonal of Q's change is imaginary.
  const Array imaginary = sub(qt_dx_rinv, convert_element_type(real_part(qt_dx_rinv), q.dtype()));
  omega = add(omega, mul(identity(qt_dx_rinv.aval_shape()), imaginary));
  return {add(product(q, sub(omega, qt_dx_rinv)), dx_rinv), product(sub(qt_dx_rinv, omega), r)};
}

/// Solves A x = b by LU.
Array solve(const Array& a, const Array& b) {
  const linalg::LuResult f = linalg::lu(a);
  const Array permuted = rows_in_order(b, f.permutation);
  const Array y = linalg::triangular_solve(f.lu, permuted, {.left_side = true, .lower = true, .unit_diagonal = true});
  return linalg::triangular_solve(f.lu, y, {.left_side = true});
}

/// Returns the change of the columns that complete Q, where Q = [Q1, Q2] and X = Q1 R, for LAPACK's Q, a product of
/// reflectors. With Q1 = [Qn; Qp] and Z = Qp (Qn - 1)^-1 it is dQ1 Z^H - (Q1 + Q2 Z) (dQp - Z dQn)^H:
/// https://arxiv.org/abs/2409.13374, equations 32 and 33.
Array completing_tangent(const Array& q, const Array& dq1, int64_t n) {
  const int64_t m = rows(q);
  const Array q1 = column_range(q, 0, n), q2 = column_range(q, n, m - n);
  const Array qn = row_range(q1, 0, n), qp = row_range(q1, n, m - n);
  const Array zh = solve(adjoint(sub(qn, identity(qn.aval_shape()))), adjoint(qp)), z = adjoint(zh);
  const Array turned = sub(row_range(dq1, n, m - n), product(z, row_range(dq1, 0, n)));
  return sub(product(dq1, zh), product(add(q1, product(q2, z)), adjoint(turned)));
}

/// For a wide X = [X1, X2] the first columns give dQ and dR1; R2 = Q^H X2.
JvpResult qr_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const std::vector<Array> results = bind(operation);
  if (tangents[0].is_zero()) return {results, {Tangent(), Tangent()}};
  const Array &q = results[0], &r = results[1], &dx = tangents[0].value();
  const int64_t m = rows(dx), n = columns(dx);
  if (hilo::attributes_of<hlo::QrAttributes>(operation).full_matrices && m > n) {
    const auto [dq1, dr1] = thin_qr_tangents(column_range(q, 0, n), row_range(r, 0, n), dx);
    const Array both[] = {dq1, completing_tangent(q, dq1, n)};
    return {results, {ops::concatenate(both, dx.ndim() - 1), padded(dr1, m - n, 0)}};
  }
  if (m >= n) {
    const auto [dq, dr] = thin_qr_tangents(q, r, dx);
    return {results, {dq, dr}};
  }
  const auto [dq, dr1] = thin_qr_tangents(q, column_range(r, 0, m), column_range(dx, 0, m));
  const Array x2 = column_range(operation.operands[0], m, n - m), dx2 = column_range(dx, m, n - m);
  const Array both[] = {dr1, add(product(adjoint(dq), x2), product(adjoint(q), dx2))};
  return {results, {dq, ops::concatenate(both, dx.ndim() - 1)}};
}

// Equal eigenvalues. A group of equal eigenvalues determines a space, but no individual vectors. The rules rotate the
// vectors of a group as little as possible, and not within the group: 1 / (w_j - w_i) is 0 there. Lifts add the missing
// part of a smooth function's derivative (transform/lifts.h).

/// Returns v[..., j] and v[..., i] at [..., i, j].
std::pair<Array, Array> pairs(const Array& v) {
  const int64_t n = v.shape(-1);
  const Array square = ops::full(Shape::array(v.dtype(), joined(batch_shape(v, 1), {n, n})), 0);
  return {along_rows(v, square), along_columns(v, square)};
}

/// Returns the error of LAPACK's values, some epsilons of the largest; one number per matrix.
Array error_of_values(const Array& w) {
  const bool narrow = w.dtype() == ElementType::kF32 || w.dtype() == ElementType::kC64;
  const double epsilon = narrow ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const Array greatest = ops::reduce_max(ops::abs(w), {w.ndim() - 1});
  return scaled(greatest, 16 * epsilon * (1 + std::sqrt(static_cast<double>(w.shape(-1)))));
}

Array is_above(const Array& x, const Array& bound) {
  const Array size = ops::abs(x);
  return ops::gt(size, ops::broadcast_in_dim(bound, size.aval_shape(), ops::all_dimensions(bound.ndim())));
}

/// Returns 1 / x where |x| is above `bound`, else 0 with derivative 0.
Array inverse_above(const Array& x, const Array& bound) {
  const Array above = is_above(x, bound), one = full_like(x, 1);
  return ops::select(above, div(one, ops::select(above, x, one)), full_like(x, 0));
}

/// Returns a mask of pairs of different vectors with equal values.
Array equal_pairs(const Array& gaps, const Array& bound) {
  const Shape numbers = typed(gaps, ElementType::kS32);
  const Array different = ops::ne(ops::iota(numbers, gaps.ndim() - 2), ops::iota(numbers, gaps.ndim() - 1));
  return ops::bitwise_and(different, ops::bitwise_not(is_above(gaps, bound)));
}

/// Returns the numbers that separate equal values: 1, and each value's index relative to the middle.
std::vector<Array> directions_of_lifts(const Array& w) {
  const double middle = static_cast<double>(w.shape(-1) - 1) / 2;
  return {full_like(w, 1), sub(ops::iota(w.aval_shape(), w.ndim() - 1), full_like(w, middle))};
}

/// Returns the multiples of V^H dA V by which the vectors rotate along these numbers, for equal values: M with sum_k
/// M_k d_k(j) = 1/2 and sum_k M_k d_k(i) = -1/2. A function's derivative is then the mean of those at both values. This
/// is also correct for slightly different values, as in derivatives of derivatives.
std::vector<Array> turns_of_lifts(const Array& w, const Array& equal) {
  const auto [at_column, at_row] = pairs(directions_of_lifts(w)[1]);
  const Array apart = sub(at_column, at_row), zeros = full_like(apart, 0), one = full_like(apart, 1);
  const Array inverse = ops::select(equal, div(one, ops::select(equal, apart, one)), zeros);
  return {mul(inverse, scaled(add(at_column, at_row), -0.5)), inverse};
}

/// Returns the lifts of the results V and w.
std::vector<Lifts> lifts_of_eigh(const Array& v, const Array& w, const Array& inner, const Array& equal) {
  const std::vector<Array> directions = directions_of_lifts(w), turns = turns_of_lifts(w, equal);
  std::vector<Lifts> lifts(2);
  for (size_t k = 0; k < directions.size(); ++k) {
    const int64_t id = next_lift_id();
    const Array turn = mul(convert_element_type(turns[k], v.dtype()), inner);
    lifts[0].push_back({id, {}, product(v, turn), std::vector{v.ndim() - 1}});
    lifts[1].push_back({id, directions[k], {}, std::vector{w.ndim() - 1}});
  }
  return lifts;
}

/// dV = V S with S = F o V^H dA V and F = 1 / (w_j - w_i) off the diagonal; dw is the diagonal of V^H dA V. As in JAX
/// both are those of the Hermitian part of A, and dA counts whole, whichever triangle the op reads.
JvpResult eigh_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  if (tangents[0].is_zero()) return {bind(operation), {Tangent(), Tangent()}};
  const Array& a = operation.operands[0];
  Operation of_hermitian = operation;
  of_hermitian.operands[0] = scaled(add(a, adjoint(a)), 0.5);
  const std::vector<Array> results = bind(of_hermitian);
  const Array &v = results[0], &w = results[1], &da = tangents[0].value();
  const auto [along, down] = pairs(w);
  const Array gaps = sub(along, down), bound = error_of_values(w);
  const Array inner = product(product(adjoint(v), da), v);
  const Array turn = mul(convert_element_type(inverse_above(gaps, bound), v.dtype()), inner);
  const Array equal = equal_pairs(gaps, bound);
  JvpResult result{results, {product(v, free_turns({turn}, equal)[0]), real_part(diagonal(inner))}};
  if (w.shape(-1) > 1) result.lifts = lifts_of_eigh(v, w, inner, equal);
  return result;
}

/// The rotations of both sides' vectors for P = U^H dA V. With X and Y its Hermitian and skew parts they are X / (s_j -
/// s_i) +- Y / (s_j + s_i). The phase, from the diagonal of Y, is assigned to U.
struct SvdTurns {
  Array left, right;
};
SvdTurns svd_turns(const Array& p, const Array& by_gap, const Array& by_sum) {
  const Array half = scaled(p, 0.5), other = adjoint(half);
  const Array apart = mul(add(half, other), by_gap), together = mul(sub(half, other), by_sum);
  if (!is_complex(p.dtype())) return {add(apart, together), sub(apart, together)};
  const Array phase = mul(identity(p.aval_shape()), together);
  return {add(add(apart, together), phase), add(sub(apart, together), phase)};
}

/// The inverses of gaps, sums and values; 0 where those are 0.
struct SvdFactors {
  Array by_gap, by_sum, by_value;
};

/// Returns (1 - Q Q^H) dA X for the longer side's vectors Q and the shorter side's X; for a wide matrix, of its
/// adjoint. Returns nullopt for a square one.
std::optional<Array> svd_outside(const Array& da, const Array& u, const Array& v) {
  if (rows(da) == columns(da)) return std::nullopt;
  const bool tall = rows(da) > columns(da);
  const Array& longer = tall ? u : v;
  const Array x = product(tall ? da : adjoint(da), tall ? v : u);
  return sub(x, product(longer, product(adjoint(longer), x)));
}

struct SvdTangents {
  Array u, v;
};
/// Besides the rotations among the thin vectors, the longer side's vectors leave their space: dU = W / s with W = (1 -
/// U U^H) dA V, 0 where s is. At `equal` pairs the rotations are arbitrary.
SvdTangents svd_tangents(const Array& u, const Array& v, const Array& p, const std::optional<Array>& outside,
                         const SvdFactors& f, const std::optional<Array>& equal) {
  const auto typed_as_p = [&](const Array& x) { return convert_element_type(x, p.dtype()); };
  SvdTurns turns = svd_turns(p, typed_as_p(f.by_gap), typed_as_p(f.by_sum));
  if (equal) {
    const std::vector<Array> free = free_turns({turns.left, turns.right}, *equal);
    turns = {free[0], free[1]};
  }
  const Array du = product(u, turns.left), dv = product(v, turns.right);
  if (!outside) return {du, dv};
  const Array out = mul(*outside, along_rows(typed_as_p(f.by_value), *outside));
  return rows(u) > rows(v) ? SvdTangents{add(du, out), dv} : SvdTangents{du, add(dv, out)};
}

/// Returns the lifts of u, s and v. [0 A; A^H 0] has the eigenvalues s and -s: where both are 0, twice the numbers of
/// lifts separate them. Values of 0 are also separated from the rest of the longer side's space.
std::vector<Lifts> lifts_of_svd(const Array& u, const Array& s, const Array& v, const Array& p,
                                const std::optional<Array>& outside, const Array& equal) {
  const auto [along, down] = pairs(s);
  const Array bound = error_of_values(s);
  const auto one_if_zero = [&](const Array& x) {
    return ops::select(is_above(x, bound), full_like(x, 0), full_like(x, 1));
  };
  const std::vector<Array> directions = directions_of_lifts(s);
  const std::vector<Array> turns = turns_of_lifts(s, equal);
  std::vector<Lifts> lifts(3);
  for (size_t k = 0; k < directions.size(); ++k) {
    const double first = k == 0 ? 1 : 0;
    const SvdFactors f = {turns[k], scaled(one_if_zero(add(along, down)), first / 2), scaled(one_if_zero(s), first)};
    const SvdTangents turned = svd_tangents(u, v, p, outside, f, std::nullopt);
    const int64_t id = next_lift_id();
    lifts[0].push_back({id, {}, turned.u, std::vector{u.ndim() - 1}});
    lifts[1].push_back({id, directions[k], {}, std::vector{s.ndim() - 1}});
    lifts[2].push_back({id, {}, adjoint(turned.v), std::vector{v.ndim() - 2}});
  }
  return lifts;
}

JvpResult svd_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const auto& attributes = hilo::attributes_of<hlo::SvdAttributes>(operation);
  const Array& a = operation.operands[0];
  const std::vector<Array> results = bind(operation);
  if (tangents[0].is_zero()) return {results, std::vector<Tangent>(results.size())};
  if (attributes.compute_uv && attributes.full_matrices && rows(a) != columns(a))
    refuse("svd: the derivative with full matrices is implemented for square ones only. Hint: full_matrices=false");
  const Array& da = tangents[0].value();
  const std::vector<Array> thin =
      attributes.compute_uv ? std::vector{results[1], results[0], results[2]} : linalg::svd(a, false, true);
  const Array &u = thin[0], &s = thin[1], v = adjoint(thin[2]);
  const Array p = product(product(adjoint(u), da), v);
  const Array ds = real_part(diagonal(p));
  const std::optional<Array> outside = svd_outside(da, u, v);
  const auto [along, down] = pairs(s);
  const Array bound = error_of_values(s), equal = equal_pairs(sub(along, down), bound);
  std::vector<Lifts> lifts = lifts_of_svd(u, s, v, p, outside, equal);
  if (!attributes.compute_uv) {
    // LAPACK computes different bits without vectors, but a value must have the same bits with a tangent and without.
    // The difference of nearly equal numbers is exact. Further derivatives are those of `s`, whose lifts the vectors
    // share.
    return {{ops::add(s, stop_gradient(sub(results[0], s)))}, {ds}, {lifts[1]}};
  }
  const SvdFactors f = {inverse_above(sub(along, down), bound), inverse_above(add(along, down), bound),
                        inverse_above(s, bound)};
  const SvdTangents vectors = svd_tangents(u, v, p, outside, f, equal);
  return {results, {ds, vectors.u, adjoint(vectors.v)}, {lifts[1], lifts[0], lifts[2]}};
}

/// Returns 1 in the row of each column's largest component (the first of equal ones), 0 elsewhere.
Array mask_of_largest(const Array& v) {
  const Array size = ops::abs(v);
  const int64_t down = v.ndim() - 2;
  const Array row = ops::iota(typed(v, ElementType::kS32), down);
  const Array is_greatest = ops::eq(size, along_rows(ops::reduce_max(size, {down}), size));
  const Array first = ops::reduce_min(ops::select(is_greatest, row, full_like(row, rows(v))), {down});
  return convert_element_type(ops::eq(row, along_rows(first, row)), v.dtype());
}

struct EigTangents {
  Array values, vectors;
};

/// With M = V^-1 dA V, the tangent of the values is its diagonal. That of the vectors is U = V (F o M), F = 1 / (w_j -
/// w_i), 0 for equal values, plus a multiple c_j of each vector. LAPACK's vectors have length 1, so Re c_j = -Re v_j^H
/// u_j; their largest component k is real, so Im c_j = -Im u_kj / v_kj.
EigTangents eig_tangents(const Array& w, const Array& v, const Array& da) {
  const int64_t down = v.ndim() - 2;
  const auto column_sums = [&](const Array& x) { return ops::reduce_sum(x, {down}); };
  const Array factor = inverse_above(sub(along_rows(w, v), along_columns(w, v)), error_of_values(w));
  const Array inner = product(solve(v, da), v);
  const Array u = product(v, mul(factor, inner));
  const Array greatest = mask_of_largest(v);
  const Array turn = div(ops::imag(column_sums(mul(greatest, u))), ops::real(column_sums(mul(greatest, v))));
  const Array multiple = ops::complex(neg(ops::real(column_sums(mul(conjugate(v), u)))), neg(turn));
  return {diagonal(inner), add(u, mul(v, along_rows(multiple, v)))};
}

JvpResult eig_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const auto& attributes = hilo::attributes_of<hlo::EigAttributes>(operation);
  if (tangents[0].is_zero()) {
    const std::vector<Array> results = bind(operation);
    return {results, std::vector<Tangent>(results.size())};
  }
  const bool left = attributes.compute_left_eigenvectors, right = attributes.compute_right_eigenvectors;
  if ((left || right) && !attributes.enable_eigvec_derivs) {
    refuse(
        "eig: derivatives of eigenvectors hold only under assumptions on the matrix that can't be checked: distinct "
        "eigenvalues, and no vector with two largest components. Hint: lax::linalg::eig with "
        "enable_eigvec_derivs=true");
  }
  std::vector<Array> results = linalg::eig(operation.operands[0], left, true, attributes.enable_eigvec_derivs);
  const Array &w = results[0], &vr = results.back();
  const Array da = convert_element_type(tangents[0].value(), vr.dtype());
  if (!left && !right) return {{w}, {diagonal(product(solve(vr, da), vr))}};
  const EigTangents of_right = eig_tangents(w, vr, da);
  std::vector<Tangent> changes = {of_right.values};
  // Left vectors are the right ones of A^H.
  if (left) changes.emplace_back(eig_tangents(conjugate(w), results[1], adjoint(da)).vectors);
  if (right) changes.emplace_back(of_right.vectors);
  else results.pop_back();
  return {results, changes};
}

constexpr NotYet kNoDerivative{"the op has no derivative"};

}  // namespace

const Rules lu_rules = {lu_jvp, Nonlinear{}, batch_leading};
const Rules qr_rules = {qr_jvp, Nonlinear{}, batch_leading};
const Rules eigh_rules = {eigh_jvp, Nonlinear{}, batch_leading};
const Rules svd_rules = {svd_jvp, Nonlinear{}, batch_leading};
const Rules eig_rules = {eig_jvp, Nonlinear{}, batch_leading};
const Rules geqrf_rules = {kNoDerivative, Nonlinear{}, batch_leading};
const Rules geqp3_rules = {kNoDerivative, Nonlinear{}, batch_leading};
const Rules householder_product_rules = {kNoDerivative, Nonlinear{}, batch_leading};
const Rules ormqr_rules = {kNoDerivative, Nonlinear{}, batch_leading};
const Rules tridiagonal_rules = {kNoDerivative, Nonlinear{}, batch_leading};
const Rules schur_rules = {kNoDerivative, Nonlinear{}, batch_leading};
const Rules hessenberg_rules = {kNoDerivative, Nonlinear{}, batch_leading};

}  // namespace hilo::rules
