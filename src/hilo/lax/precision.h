// SPDX-License-Identifier: Apache-2.0
// lax/precision.h -- what a program asks of the arithmetic of dots and convolutions.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "hilo/trace/settings.h"

namespace hilo::lax {

/// Written into the program; hilo always computes at the operands' precision.
enum class Precision : uint8_t { DEFAULT, HIGH, HIGHEST };

/// JAX's ready-made algorithms of dots: the types of the operands, of the products and of the sums. Each asks for no more
/// than hilo's arithmetic gives.
enum class DotAlgorithmPreset : uint8_t {
  DEFAULT,
  ANY_F8_ANY_F8_F32,
  ANY_F8_ANY_F8_F32_FAST_ACCUM,
  ANY_F8_ANY_F8_ANY,
  ANY_F8_ANY_F8_ANY_FAST_ACCUM,
  F16_F16_F16,
  F16_F16_F32,
  BF16_BF16_BF16,
  BF16_BF16_F32,
  BF16_BF16_F32_X3,
  BF16_BF16_F32_X6,
  BF16_BF16_F32_X9,
  TF32_TF32_F32,
  TF32_TF32_F32_X3,
  F32_F32_F32,
  F64_F64_F64,
};

/// JAX's precision argument: one for both operands, one for each, their names ("default", "high", "highest"), an algorithm
/// or its name ("F32_F32_F32", "BF16_BF16_F32", ...), or nothing.
class PrecisionLike {
 public:
  PrecisionLike(std::nullopt_t = std::nullopt) {}
  PrecisionLike(Precision both) : PrecisionLike(both, both) {}
  PrecisionLike(DotAlgorithmPreset) {}
  PrecisionLike(Precision lhs, Precision rhs) : is_set_(true), lhs_(lhs), rhs_(rhs) {}
  PrecisionLike(std::pair<Precision, Precision> both) : PrecisionLike(both.first, both.second) {}
  PrecisionLike(std::optional<Precision> both) {
    if (both) *this = PrecisionLike(*both);
  }
  /// Errors    INVALID_ARGUMENT for another word
  PrecisionLike(const char* word, std::source_location location = std::source_location::current());

  /// As HLO writes them: two words, or none.
  std::vector<std::string> words() const;

 private:
  bool is_set_ = false;
  Precision lhs_ = Precision::DEFAULT, rhs_ = Precision::DEFAULT;
};

}  // namespace hilo::lax

namespace hilo {

/// The precision of dots and convolutions that ask for none: "default", "high", "highest", or by the type that it is like,
/// "bfloat16", "tensorfloat32", "float32". It is written into programs; hilo always computes at the operands' precision.
/// jax.default_matmul_precision.
/// Errors     INVALID_ARGUMENT for another word
/// Example    const auto scope = default_matmul_precision("highest");
WordScope default_matmul_precision(const char* word, std::source_location location = std::source_location::current());

}  // namespace hilo
