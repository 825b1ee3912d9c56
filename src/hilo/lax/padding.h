// SPDX-License-Identifier: Apache-2.0
// lax/padding.h -- padding of windows: a name, or a pair of numbers per dimension.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "hilo/array/arguments.h"
#include "hilo/array/error.h"

namespace hilo::lax {

using PaddingPairs = std::vector<std::pair<int64_t, int64_t>>;

/// Padding of windows: "SAME", "SAME_LOWER" or "VALID" in any case, or {before, after} for each dimension; negative
/// numbers crop.
class Padding {
 public:
  Padding(const char* word) : is_word_(true), word_(word) {}
  Padding(std::string word) : is_word_(true), word_(std::move(word)) {}
  Padding(PaddingPairs pairs) : is_word_(false), pairs_(std::move(pairs)) {}
  Padding(std::initializer_list<std::pair<int64_t, int64_t>> pairs) : is_word_(false), pairs_(pairs) {}

  const std::string* word() const { return is_word_ ? &word_ : nullptr; }
  const PaddingPairs* pairs() const { return is_word_ ? nullptr : &pairs_; }

 private:
  bool is_word_;
  std::string word_;
  PaddingPairs pairs_;
};

/// Returns padding as pairs, for windows of `window_shape` on arrays of `in_shape`. "SAME" gives ceil(size / stride)
/// windows; an odd element is added behind, for "SAME_LOWER" before.
/// Errors     INVALID_ARGUMENT for another name, or lists of different lengths
PaddingPairs padtype_to_pads(const Dimensions& in_shape, const Dimensions& window_shape,
                             const Dimensions& window_strides, const Padding& padding);

}  // namespace hilo::lax
