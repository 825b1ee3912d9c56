// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/numbers.h"

#include <fmt/format.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/Support/ErrorHandling.h>

#include <algorithm>
#include <bit>

namespace hilo::cpu {

unsigned bits_of_numbers(std::int64_t greatest) {
  const auto with_sign = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(greatest))) + 1;
  return std::clamp(std::bit_ceil(with_sign), 8u, 64u);
}

llvm::IntegerType* number_type(llvm::LLVMContext& context, std::int64_t greatest, unsigned least_bits) {
  return llvm::IntegerType::get(context, std::max(bits_of_numbers(greatest), least_bits));
}

void check_number_type(const llvm::Type* number, std::int64_t greatest) {
  const unsigned bits = number->getScalarSizeInBits();
  if (number->isIntOrIntVectorTy() && bits >= bits_of_numbers(greatest)) return;
  const std::string text = fmt::format("numbers up to {} don't fit in {} bits", greatest, bits);
  llvm::report_fatal_error(text.c_str());
}

}  // namespace hilo::cpu
