// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/order/sort_key.h -- recognizes comparators that order one operand by its value.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hilo/backend/cpu/runtime/sort_key.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

/// Recognizes JAX's comparator (less-than in total order after making zeros and NaN canonical), and a plain less or
/// greater.
std::optional<SortKey> sort_key_of(const hlo::Computation& comparator);

/// Recognizes the lexicographic order of several operands: a < a' or (a = a' and the same of the next operands).
/// Returns the keys, the most significant one first; none if it is anything else.
std::vector<SortKey> sort_keys_of(const hlo::Computation& comparator);

/// A comparator that orders elements by one function of them.
struct KeyFunction {
  hlo::ComputationPtr key;  ///< of one element of each operand
  SortKey order;            ///< of the results of `key`; its operand is unused
};

/// Recognizes compare(f(a, b, ...), f(a', b', ...)), where f takes one element of each operand. `operands`: their
/// types.
std::optional<KeyFunction> key_function_of(const hlo::Computation& comparator, std::span<const ElementType> operands);

}  // namespace hilo::cpu
