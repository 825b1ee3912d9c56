// SPDX-License-Identifier: Apache-2.0
// types/checked.h -- 64-bit size arithmetic with overflow checks.
#pragma once

#include <cstdint>
#include <optional>

namespace hilo {

/// Returns a * b, or nullopt on overflow.
inline std::optional<int64_t> checked_mul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// Returns a + b, or nullopt on overflow.
inline std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace hilo
