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
  return square ? matrix::tril(factor) : factor;  // a failure is NaN in the triangle only, as JAX has it
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
  return bind_one(Opcode::kTriangularSolve, {matrix, b}, std::move(attributes));
}

}  // namespace hilo::lax::linalg
