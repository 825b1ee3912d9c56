// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/complex.h -- complex numbers in vector code: pairs of real vectors. They are joined only where one
// value is needed.
#pragma once

#include <span>

#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu {

/// Real and imaginary parts: float or double lanes.
struct ComplexParts {
  llvm::Value* real;
  llvm::Value* imag;
};

/// Returns the parts of a complex register. If join() created the register, returns the operands of join().
ComplexParts parts_of(SimdBuilder& b, llvm::Value* value);
/// Returns a complex register: an integer of twice the parts' width, with the same layout as in memory.
llvm::Value* join(SimdBuilder& b, const ComplexParts& parts);

/// Emits one elementwise op on complex numbers, except convert (see emit_convert).
/// Numerics: products and quotients as in the reference evaluator. exp uses e^x, cos y and
///   sin y with their error bounds. Other functions, except abs and sign, call the reference's own for each element.
StatusOr<llvm::Value*> emit_complex(SimdBuilder& b, hlo::Opcode opcode, ElementType operand_type,
                                    const hlo::Attributes* attributes, std::span<llvm::Value* const> operands);

/// Emits select(mask, yes, no) of joined numbers, part by part: no register has lanes of 128 bits.
llvm::Value* select_complex(SimdBuilder& b, llvm::Value* mask, llvm::Value* yes, llvm::Value* no);

/// Emits accumulator + x * y.
llvm::Value* emit_complex_multiply_add(SimdBuilder& b, llvm::Value* x, llvm::Value* y, llvm::Value* accumulator);

}  // namespace hilo::cpu
