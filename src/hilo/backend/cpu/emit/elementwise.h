// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/elementwise.h -- one elementwise HLO op on vector registers; every region emitter calls this.
#pragma once

#include <span>

#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu {

/// Emits one elementwise op and returns its result register.
/// Types: `operand_type` is that of the operands that carry data: of select's second and third; the first is pred. All
///   operands are registers of b's lane count: scalar bounds of clamp and scalar predicates of select come splat.
/// Attributes: CompareAttributes and ReducePrecisionAttributes for those two ops; null otherwise.
/// Errors: UNIMPLEMENTED for tokens and the like; INTERNAL for an op that isn't
///   elementwise.
/// Numerics: XLA's edge cases (see integer.h, convert.h); f16, bf16 and narrower floats compute in f32 and round once.
StatusOr<llvm::Value*> emit_elementwise(SimdBuilder& b, hlo::Opcode opcode, ElementType operand_type,
                                        ElementType result_type, const hlo::Attributes* attributes,
                                        std::span<llvm::Value* const> operands);

/// OK if emit_elementwise has registers for these types, else the UNIMPLEMENTED it would return. Ask before loading.
Status check_elementwise_types(hlo::Opcode opcode, ElementType operand_type, ElementType result_type);

/// Greater and smaller of two, NaN if either is, -0 below +0; the order of pred is false < true.
llvm::Value* emit_maximum(SimdBuilder& b, ElementType type, llvm::Value* x, llvm::Value* y);
llvm::Value* emit_minimum(SimdBuilder& b, ElementType type, llvm::Value* x, llvm::Value* y);
llvm::Value* emit_compare(SimdBuilder& b, ElementType type, const hlo::CompareAttributes& attributes, llvm::Value* x,
                          llvm::Value* y);
llvm::Value* emit_reduce_precision(SimdBuilder& b, ElementType type, const hlo::ReducePrecisionAttributes& attributes,
                                   llvm::Value* x);

/// Lanes that fill one vector register with values of this type (f16, bf16 and narrower floats count as f32, pred as a byte).
int natural_lanes(Isa isa, ElementType type);

}  // namespace hilo::cpu
