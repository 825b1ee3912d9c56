// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/elementwise.h -- one elementwise HLO op on vector registers, for every region emitter.
#pragma once

#include <span>

#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu {

/// Emits one elementwise op and returns its result register.
/// Types: `operand_type` is that of the data operands; for select these are the second and third, and the first is
/// pred. All
///   operands are registers of b's lane count: scalar bounds of clamp and scalar predicates of select must be splat.
///   Attributes: CompareAttributes and ReducePrecisionAttributes for those two ops; null otherwise.
/// Errors: UNIMPLEMENTED for tokens and other types without registers; INTERNAL for an op that isn't
///   elementwise. Code: a function of real numbers is a call if `is_called`, or in quick code.
/// Numerics: XLA's edge cases (see integer.h, convert.h); f16, bf16 and narrower floats compute in f32 and round once.
StatusOr<llvm::Value*> emit_elementwise(SimdBuilder& b, hlo::Opcode opcode, ElementType operand_type,
                                        ElementType result_type, const hlo::Attributes* attributes,
                                        std::span<llvm::Value* const> operands, bool is_called = false);

/// Returns OK if emit_elementwise has registers for these types, otherwise its UNIMPLEMENTED error. Call it before
/// emitting loads.
Status check_elementwise_types(hlo::Opcode opcode, ElementType operand_type, ElementType result_type);

/// Emit the maximum and the minimum of two values: NaN if either is NaN, -0 below +0, false below true.
llvm::Value* emit_maximum(SimdBuilder& b, ElementType type, llvm::Value* x, llvm::Value* y);
llvm::Value* emit_minimum(SimdBuilder& b, ElementType type, llvm::Value* x, llvm::Value* y);
llvm::Value* emit_compare(SimdBuilder& b, ElementType type, const hlo::CompareAttributes& attributes, llvm::Value* x,
                          llvm::Value* y);
llvm::Value* emit_reduce_precision(SimdBuilder& b, ElementType type, const hlo::ReducePrecisionAttributes& attributes,
                                   llvm::Value* x);

/// Returns the number of lanes that fill one vector register with values of this type. f16, bf16 and narrower floats
/// count as f32, pred as a byte.
int natural_lanes(Isa isa, ElementType type);

}  // namespace hilo::cpu
