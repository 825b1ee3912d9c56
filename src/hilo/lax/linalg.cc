// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/linalg.h"

#include "hilo/hlo/ops/linalg.h"
#include "hilo/lax/matrix.h"

namespace hilo::lax::linalg {

using hlo::Opcode;

Array cholesky(const Operand& x, bool symmetrize_input) {
  const UserLocation here(x.location());
  const bool square = x.array().ndim() >= 2 && x.array().shape(-1) == x.array().shape(-2);
  Array a = x;
  if (symmetrize_input && square) a = matrix::scaled(ops::add(a, matrix::adjoint(a)), 0.5);
  auto attributes = std::make_shared<hlo::CholeskyAttributes>();
  attributes->lower = true;
  const Array factor = bind_one(Opcode::kCholesky, {a}, std::move(attributes));
  return square ? matrix::tril(factor) : factor;  // on failure only the triangle is NaN, as in JAX
}

Array triangular_solve(const Operand& a, const Operand& b, const TriangularSolveOptions& options) {
  const UserLocation here(a.location());
  auto attributes = std::make_shared<hlo::TriangularSolveAttributes>();
  attributes->left_side = options.left_side;
  attributes->lower = options.lower;
  attributes->unit_diagonal = options.unit_diagonal;
  const bool conjugated = options.conjugate_a && is_complex(a.array().dtype());
  attributes->transpose_a = !options.transpose_a ? hlo::MatrixTranspose::kNoTranspose
                            : conjugated         ? hlo::MatrixTranspose::kAdjoint
                                                 : hlo::MatrixTranspose::kTranspose;
  const Array matrix = conjugated && !options.transpose_a ? matrix::conjugate(a) : a.array();
  const Array& sides = b;
  const std::vector<int64_t> vector(sides.shape().begin(), sides.shape().end());
  if (sides.ndim() == 0 || sides.ndim() != matrix.ndim() - 1)
    return bind_one(Opcode::kTriangularSolve, {matrix, sides}, std::move(attributes));
  std::vector<int64_t> one = vector;  // shape of one column or one row
  one.insert(options.left_side ? one.end() : one.end() - 1, 1);
  const Array solved = bind_one(Opcode::kTriangularSolve, {matrix, ops::reshape(sides, one)}, std::move(attributes));
  return ops::reshape(solved, vector);
}

}  // namespace hilo::lax::linalg
