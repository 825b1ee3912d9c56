// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/numbers.h -- integers for numbers of lanes, turns and positions.
#pragma once

#include <cstdint>

namespace llvm {
class IntegerType;
class LLVMContext;
class Type;
}  // namespace llvm

namespace hilo::cpu {

/// Returns the bits, 8 to 64, of the narrowest integer whose signed values include 0..greatest. Signed and unsigned
/// comparisons of such numbers agree.
/// Example   127 -> 8, 128 -> 16
unsigned bits_of_numbers(std::int64_t greatest);

/// Returns the type of these integers, with at least `least_bits`.
llvm::IntegerType* number_type(llvm::LLVMContext& context, std::int64_t greatest, unsigned least_bits = 8);

/// Ends code generation with an INTERNAL error if the signed values of an integer type don't include 0..greatest: wrong
/// code would compute wrong elements.
void check_number_type(const llvm::Type* number, std::int64_t greatest);

}  // namespace hilo::cpu
