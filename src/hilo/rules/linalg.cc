// SPDX-License-Identifier: Apache-2.0
// rules/linalg.cc -- rules of cholesky and triangular-solve.
#include "hilo/hlo/ops/linalg.h"

#include "hilo/lax/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/rules/batch_leading.h"
#include "hilo/rules/families.h"

namespace hilo::rules {

using namespace lax;
namespace {

using namespace hilo::rules::matrix;  // the rules are formulas of these
using hlo::MatrixTranspose;
using ops::add;
using ops::neg;

/// Returns half of the diagonal, and all elements below it.
Array lower_half(const Array& x) {
  const Array lower = tril(x);
  return ops::mul(lower, add(tril(ops::full_like(x, 1), -1), scaled(identity(x.aval_shape()), 0.5)));
}

/// dL = L lower_half(L^-1 dA L^-H). As in JAX dA counts whole, as for a Hermitian matrix, although only A's lower
/// triangle is read.
JvpResult cholesky_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const bool lower = hilo::attributes_of<hlo::CholeskyAttributes>(operation).lower;
  const Array factor = bind(operation)[0];
  if (tangents[0].is_zero()) return {{factor}, {Tangent()}};
  const Array l = lower ? factor : adjoint(factor);
  const Array change = lower ? tangents[0].value() : adjoint(tangents[0].value());
  const Array right = linalg::triangular_solve(l, change, {.lower = true, .transpose_a = true, .conjugate_a = true});
  const Array both = linalg::triangular_solve(l, right, {.left_side = true, .lower = true});
  const Array tangent = product(l, lower_half(both));
  return {{factor}, {lower ? tangent : adjoint(tangent)}};
}

const hlo::TriangularSolveAttributes& solve_attributes(const Operation& operation) {
  return hilo::attributes_of<hlo::TriangularSolveAttributes>(operation);
}

/// Returns op(a)^-1 rhs, or rhs op(a)^-1.
Array solve_again(const Operation& operation, const Array& rhs) {
  return bind_one(operation.opcode, {operation.operands[0], rhs}, operation.attributes);
}

/// Returns dx = -op(a)^-1 op(da) x, with the cheaper product first.
Array solve_tangent_of_a(const Operation& operation, const Array& x, const Array& a_tangent) {
  const hlo::TriangularSolveAttributes& attributes = solve_attributes(operation);
  const int64_t k = attributes.unit_diagonal ? 1 : 0;
  Array change = neg(attributes.lower ? tril(a_tangent, -k) : triu(a_tangent, k));
  if (attributes.transpose_a != MatrixTranspose::kNoTranspose) change = transposed(change);
  if (attributes.transpose_a == MatrixTranspose::kAdjoint) change = conjugate(change);
  if (attributes.left_side) {
    return rows(x) > columns(x) ? solve_again(operation, product(change, x))
                                : product(solve_again(operation, change), x);
  }
  return rows(x) < columns(x) ? solve_again(operation, product(x, change)) : product(x, solve_again(operation, change));
}

JvpResult triangular_solve_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array x = bind(operation)[0];
  Tangent tangent;
  if (!tangents[0].is_zero()) tangent = solve_tangent_of_a(operation, x, tangents[0].value());
  if (!tangents[1].is_zero()) tangent = add_tangents(tangent, solve_again(operation, tangents[1].value()));
  return {{x}, {tangent}};
}

/// The op is linear in b; its transpose solves with op(a)^T.
void triangular_solve_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  if (!out.wants(1)) return;
  auto attributes = std::make_shared<hlo::TriangularSolveAttributes>(solve_attributes(operation));
  const MatrixTranspose before = attributes->transpose_a;
  attributes->transpose_a =
      before == MatrixTranspose::kNoTranspose ? MatrixTranspose::kTranspose : MatrixTranspose::kNoTranspose;
  const Array& a = operation.operands[0];
  const Array solved =
      bind_one(operation.opcode, {before == MatrixTranspose::kAdjoint ? conjugate(a) : a, cts[0].value()},
               std::move(attributes));
  out.add(1, solved);
}

}  // namespace

const Rules cholesky_rules = {cholesky_jvp, Nonlinear{}, batch_leading};
const Rules triangular_solve_rules = {triangular_solve_jvp, triangular_solve_transpose, batch_leading};

}  // namespace hilo::rules
