// SPDX-License-Identifier: Apache-2.0
// lax/precision.h -- requested precision of dots and convolutions.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "hilo/trace/settings.h"

namespace hilo::lax {

/// Precision that is written into the program. hilo always computes at the operands' precision.
enum class Precision : uint8_t { DEFAULT, HIGH, HIGHEST };

/// JAX's presets for the algorithms of dots: types of operands, products and sums. hilo's arithmetic is at least as
/// precise as each of them.
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

/// JAX's precision argument: one for both operands, one for each, names ("default", "high", "highest"), an algorithm or
/// its name ("F32_F32_F32", "BF16_BF16_F32", ...), or none.
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
  /// Converts a name.
  /// Errors     INVALID_ARGUMENT for another name
  PrecisionLike(const char* word, std::source_location location = std::source_location::current());

  /// Returns the names as HLO text has them: two, or none.
  std::vector<std::string> words() const;

 private:
  bool is_set_ = false;
  Precision lhs_ = Precision::DEFAULT, rhs_ = Precision::DEFAULT;
};

}  // namespace hilo::lax

namespace hilo {

/// Sets the precision of dots and convolutions that don't specify one, until the returned object is destroyed:
/// jax.default_matmul_precision. Accepts "default", "high", "highest", or a type: "bfloat16", "tensorfloat32",
/// "float32". The precision is written into programs; hilo always computes at the operands' precision.
/// Errors     INVALID_ARGUMENT for another name
/// Example    const auto scope = default_matmul_precision("highest");
WordScope default_matmul_precision(const char* word, std::source_location location = std::source_location::current());

}  // namespace hilo
