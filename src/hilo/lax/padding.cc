// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "hilo/types/checked.h"

namespace hilo::lax {
namespace {

/// Returns the total padding of a dimension under "SAME".
int64_t total_of_same(int64_t size, int64_t window, int64_t stride) {
  const int64_t count = (size + stride - 1) / stride;
  const auto covered = checked_mul(count - 1, stride);
  const auto end = covered ? checked_add(*covered, window) : std::nullopt;
  if (!end) or_throw(invalid_argument(fmt::format("padding SAME: a window of {} doesn't fit 2^63-1", window)));
  return std::max<int64_t>(*end - size, 0);
}

}  // namespace

PaddingPairs padtype_to_pads(const Dimensions& in_shape, const Dimensions& window_shape,
                             const Dimensions& window_strides, const Padding& padding) {
  if (padding.pairs() != nullptr) return *padding.pairs();
  std::string word = *padding.word();
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (word != "SAME" && word != "SAME_LOWER" && word != "VALID") {
    or_throw(invalid_argument(
        fmt::format("padding: got '{}', wanted SAME, SAME_LOWER, VALID or pairs of numbers", *padding.word())));
  }
  if (in_shape.size() != window_shape.size() || in_shape.size() != window_strides.size()) {
    or_throw(invalid_argument(fmt::format("padding {}: got {} strides and {} window sizes for {} dimensions", word,
                                          window_strides.size(), window_shape.size(), in_shape.size())));
  }
  PaddingPairs pairs;
  for (size_t d = 0; d < in_shape.size(); ++d) {
    if (window_strides[d] < 1) {
      or_throw(
          invalid_argument(fmt::format("window_strides: dim {}: got {}, wanted at least 1", d, window_strides[d])));
    }
    const int64_t total = word == "VALID" ? 0 : total_of_same(in_shape[d], window_shape[d], window_strides[d]);
    const int64_t less = total / 2;
    if (word == "SAME_LOWER") pairs.emplace_back(total - less, less);
    else pairs.emplace_back(less, total - less);
  }
  return pairs;
}

}  // namespace hilo::lax
