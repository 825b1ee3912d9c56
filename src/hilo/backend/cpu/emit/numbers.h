// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/numbers.h -- integers that hold the numbers of lanes, turns and places.
#pragma once

#include <cstdint>

namespace llvm {
class IntegerType;
class LLVMContext;
class Type;
}  // namespace llvm

namespace hilo::cpu {

/// The bits, 8 to 64, of the narrowest integer whose signed values hold 0..greatest. Signed and unsigned comparisons of such
/// numbers agree.
/// Example   127 -> 8, 128 -> 16
unsigned bits_of_numbers(std::int64_t greatest);

/// The type of these integers, of at least `least_bits`.
llvm::IntegerType* number_type(llvm::LLVMContext& context, std::int64_t greatest, unsigned least_bits = 8);

/// Ends code generation, with an INTERNAL error, if an integer type doesn't hold 0..greatest as signed values: wrong code would
/// compute wrong elements.
void check_number_type(const llvm::Type* number, std::int64_t greatest);

}  // namespace hilo::cpu
