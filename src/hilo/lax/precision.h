// SPDX-License-Identifier: Apache-2.0
// lax/precision.h -- what a program asks of the arithmetic of dots and convolutions.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace hilo::lax {

/// Written into the program; hilo always computes at the operands' precision.
enum class Precision : uint8_t { DEFAULT, HIGH, HIGHEST };

/// JAX's precision argument: one for both operands, one for each, their names ("default", "high", "highest"), an algorithm
/// by its name ("F32_F32_F32", "BF16_BF16_F32", ...), or nothing.
class PrecisionLike {
 public:
  PrecisionLike(std::nullopt_t = std::nullopt) {}                                   // NOLINT
  PrecisionLike(Precision both) : operands_({both, both}) {}                        // NOLINT
  PrecisionLike(Precision lhs, Precision rhs) : operands_({lhs, rhs}) {}            // NOLINT
  PrecisionLike(std::pair<Precision, Precision> operands) : operands_(operands) {}  // NOLINT
  PrecisionLike(std::optional<Precision> both) {
    if (both) operands_ = {*both, *both};
  }  // NOLINT
  /// Errors    INVALID_ARGUMENT for another word
  PrecisionLike(const char* word, std::source_location location = std::source_location::current());  // NOLINT

  /// As HLO writes them: two words, or none.
  std::vector<std::string> words() const;

 private:
  std::optional<std::pair<Precision, Precision>> operands_;
};

}  // namespace hilo::lax
