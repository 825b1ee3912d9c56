// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/linalg_decompose.h -- the decompositions of the linear algebra ops, with custom calls of LAPACK.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

StatusOr<ComputationPtr> decompose_lu(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_geqrf(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_geqp3(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_householder_product(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_ormqr(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_qr(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_eigh(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_tridiagonal(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_svd(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_eig(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_schur(const Instruction& instruction, std::span<const Shape> operands);
StatusOr<ComputationPtr> decompose_hessenberg(const Instruction& instruction, std::span<const Shape> operands);

}  // namespace hilo::hlo
