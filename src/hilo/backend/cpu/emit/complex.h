// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/complex.h -- complex numbers in vector code: pairs of real vectors, joined only where one value is
// needed.
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

/// The parts of a complex register; those that join() was given, if it made the register.
ComplexParts parts_of(SimdBuilder& b, llvm::Value* value);
/// A complex register: an integer of twice the parts' width, as memory holds the number.
llvm::Value* join(SimdBuilder& b, const ComplexParts& parts);

/// One elementwise op on complex numbers; convert is emit_convert's.
/// Numerics: products and quotients as the reference evaluator has them; exp takes e^x, cos y and
///   sin y at their budgets; other functions than these, abs and sign call the reference's own, element by element.
StatusOr<llvm::Value*> emit_complex(SimdBuilder& b, hlo::Opcode opcode, ElementType operand_type,
                                    const hlo::Attributes* attributes, std::span<llvm::Value* const> operands);

/// select(mask, yes, no) of joined numbers, part by part: no register holds lanes of 128 bits.
llvm::Value* select_complex(SimdBuilder& b, llvm::Value* mask, llvm::Value* yes, llvm::Value* no);

/// accumulator + x * y.
llvm::Value* emit_complex_multiply_add(SimdBuilder& b, llvm::Value* x, llvm::Value* y, llvm::Value* accumulator);

}  // namespace hilo::cpu
