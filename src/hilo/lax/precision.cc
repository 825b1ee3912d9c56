// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/precision.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "hilo/trace/error.h"

namespace hilo::lax {
namespace {

constexpr const char* kNames[] = {"default", "high", "highest"};

/// JAX's presets, all of which ask for no more than hilo's arithmetic gives.
constexpr std::string_view kAlgorithms[] = {"DEFAULT",           "ANY_F8_ANY_F8_F32", "ANY_F8_ANY_F8_F32_FAST_ACCUM",
                                            "ANY_F8_ANY_F8_ANY", "F16_F16_F16",       "F16_F16_F32",
                                            "BF16_BF16_BF16",    "BF16_BF16_F32",     "BF16_BF16_F32_X3",
                                            "BF16_BF16_F32_X6",  "BF16_BF16_F32_X9",  "TF32_TF32_F32",
                                            "TF32_TF32_F32_X3",  "F32_F32_F32",       "F64_F64_F64"};

}  // namespace

PrecisionLike::PrecisionLike(const char* word, std::source_location location) {
  std::string text = word;
  const std::string given = text;
  if (std::ranges::find(kAlgorithms, std::string_view(given)) != std::end(kAlgorithms)) return;
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* const found = std::ranges::find(kNames, std::string_view(text));
  if (found == std::end(kNames))
    or_throw(invalid_argument("precision (" + describe_location(location) + "): got '" + given +
                              "', wanted default, high, highest or the name of a dot algorithm"));
  const auto precision = static_cast<Precision>(found - kNames);
  operands_ = {precision, precision};
}

std::vector<std::string> PrecisionLike::words() const {
  if (!operands_) return {};
  return {kNames[static_cast<size_t>(operands_->first)], kNames[static_cast<size_t>(operands_->second)]};
}

}  // namespace hilo::lax
