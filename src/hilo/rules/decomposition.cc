// SPDX-License-Identifier: Apache-2.0
// rules/decomposition.cc -- rules of the linear algebra extension ops. Derivatives are JAX's.
#include "hilo/hlo/ops/ext/linalg.h"

#include "hilo/lax/decompositions.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/rules/batch_leading.h"
#include "hilo/rules/families.h"

namespace hilo::rules {
namespace {

using namespace hilo::rules::matrix;  // NOLINT: the rules are algebra over these
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

/// `u` with 1 as its pivot number `k`, counted from 1.
Array with_last_pivot_one(const Array& u, int64_t k) {
  const Shape numbers = typed(u, ElementType::kS32);
  const Array row = ops::iota(numbers, u.ndim() - 2), column = ops::iota(numbers, u.ndim() - 1);
  const Array last = full_like(row, static_cast<double>(k - 1));
  return ops::select(ops::bitwise_and(ops::eq(row, last), ops::eq(column, last)), full_like(u, 1), u);
}

/// With L and U square: dL U + L dU = P dA, so L^-1 P dA U^-1 has F = L^-1 dL strictly below its diagonal, and above stands
/// dU = L^-1 P dA - F U. F's last column is zero if there are no more rows than columns: then the last pivot changes
/// nothing, and may be zero.
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

/// dQ and dR of dX, where X = Q R with R square.
std::pair<Array, Array> thin_qr_tangents(const Array& q, const Array& r, const Array& dx) {
  const Array dx_rinv = linalg::triangular_solve(r, dx, {});
  const Array qt_dx_rinv = product(adjoint(q), dx_rinv);
  const Array lower = tril(qt_dx_rinv, -1);
  Array omega = sub(lower, adjoint(lower));
  // Of complex matrices the diagonal of Q's change is imaginary.
  const Array imaginary = sub(qt_dx_rinv, convert_element_type(real_part(qt_dx_rinv), q.dtype()));
  omega = add(omega, mul(identity(qt_dx_rinv.aval_shape()), imaginary));
  return {add(product(q, sub(omega, qt_dx_rinv)), dx_rinv), product(sub(qt_dx_rinv, omega), r)};
}

/// x of A x = b by LU.
Array solve(const Array& a, const Array& b) {
  const linalg::LuResult f = linalg::lu(a);
  const Array permuted = rows_in_order(b, f.permutation);
  const Array y = linalg::triangular_solve(f.lu, permuted, {.left_side = true, .lower = true, .unit_diagonal = true});
  return linalg::triangular_solve(f.lu, y, {.left_side = true});
}

/// The change of the columns that complete Q, where Q = [Q1, Q2] and X = Q1 R: LAPACK's, whose Q is a product of
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

/// Of a wide X = [X1, X2] the first columns give dQ and dR1; R2 = Q^H X2.
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

/// dV = V (F o V^H dA V) with F = 1 / (w_j - w_i) off the diagonal; dw is the diagonal of V^H dA V. As in JAX both are those
/// of the Hermitian part of A, and dA counts whole, whatever triangle the op reads.
JvpResult eigh_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  if (tangents[0].is_zero()) return {bind(operation), {Tangent(), Tangent()}};
  const Array& a = operation.operands[0];
  Operation of_hermitian = operation;
  of_hermitian.operands[0] = scaled(add(a, adjoint(a)), 0.5);
  const std::vector<Array> results = bind(of_hermitian);
  const Array &v = results[0], &da = tangents[0].value();
  const Array w = convert_element_type(results[1], v.dtype());
  const Array one = identity(v.aval_shape());
  const Array gaps = sub(add(one, along_rows(w, v)), along_columns(w, v));
  const Array factor = sub(div(full_like(gaps, 1), gaps), one);
  const Array inner = product(product(adjoint(v), da), v);
  const Array dv = product(v, mul(factor, inner));
  const Array dw = real_part(diagonal(inner));
  return {results, {dv, dw}};
}

/// 1 / x, and 0 where x is 0.
Array safe_inverse(const Array& x) {
  const Array zeros = convert_element_type(ops::eq(x, full_like(x, 0)), x.dtype());
  return sub(div(full_like(x, 1), add(x, zeros)), zeros);
}

JvpResult svd_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const auto& attributes = hilo::attributes_of<hlo::SvdAttributes>(operation);
  const std::vector<Array> results = bind(operation);
  if (tangents[0].is_zero()) return {results, std::vector<Tangent>(results.size())};
  const Array &a = operation.operands[0], &da = tangents[0].value();
  if (attributes.compute_uv && attributes.full_matrices && rows(a) != columns(a))
    refuse("svd: the derivative with full matrices is implemented for square ones only. Hint: full_matrices=false");
  const std::vector<Array> thin =
      attributes.compute_uv ? std::vector{results[1], results[0], results[2]} : linalg::svd(a, false, true);
  const Array &u = thin[0], &s = thin[1], &vh = thin[2];
  const Array ut = adjoint(u), v = adjoint(vh);
  const Array ds_matrix = product(product(ut, da), v);
  const Array ds = real_part(diagonal(ds_matrix));
  if (!attributes.compute_uv) return {results, {ds}};

  const ElementType type = a.dtype();
  const Array real = real_part(ds_matrix);
  const Array along = along_rows(s, real), down = along_columns(s, real);
  const Array gaps = mul(add(along, down), sub(along, down));
  const Array f = convert_element_type(safe_inverse(gaps), type);
  const Array scaled_columns = mul(convert_element_type(along, type), ds_matrix);
  const Array scaled_rows = mul(convert_element_type(down, type), ds_matrix);
  const Array inverse = convert_element_type(diagonal_matrix(safe_inverse(s)), type);
  const Array turn = mul(scaled(sub(ds_matrix, adjoint(ds_matrix)), 0.5), inverse);
  Array du = product(u, add(mul(f, add(scaled_columns, adjoint(scaled_columns))), turn));
  Array dv = product(v, mul(f, add(scaled_rows, adjoint(scaled_rows))));
  if (rows(a) > columns(a)) {
    const Array dav = product(da, v);
    du = add(du, div(sub(dav, product(u, product(ut, dav))), convert_element_type(along_rows(s, dav), type)));
  }
  if (columns(a) > rows(a)) {
    const Array dahu = product(adjoint(da), u);
    dv = add(dv, div(sub(dahu, product(v, product(vh, dahu))), convert_element_type(along_rows(s, dahu), type)));
  }
  return {results, {ds, du, adjoint(dv)}};
}

/// 1 in the row of each column's greatest component, the first of equals; 0 elsewhere.
Array mask_of_greatest(const Array& v) {
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

/// With M = V^-1 dA V the values' is its diagonal, and the vectors' is U = V (F o M), F = 1 / (w_j - w_i) off the diagonal,
/// but for a multiple c_j of each vector. LAPACK's have length 1, hence Re c_j = -Re v_j^H u_j, and a real component k
/// that is the greatest, hence Im c_j = -Im u_kj / v_kj.
EigTangents eig_tangents(const Array& w, const Array& v, const Array& da) {
  const int64_t down = v.ndim() - 2;
  const auto column_sums = [&](const Array& x) { return ops::reduce_sum(x, {down}); };
  const Array one = identity(v.aval_shape());
  const Array gaps = sub(add(one, along_rows(w, v)), along_columns(w, v));
  const Array factor = sub(div(full_like(gaps, 1), gaps), one);
  const Array inner = product(solve(v, da), v);
  const Array u = product(v, mul(factor, inner));
  const Array greatest = mask_of_greatest(v);
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
        "eigenvalues, and no vector with two greatest components. Hint: lax::linalg::eig with "
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
