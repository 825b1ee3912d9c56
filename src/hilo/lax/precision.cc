// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/precision.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "hilo/array/error.h"

namespace hilo::lax {
namespace {

constexpr const char* kNames[] = {"default", "high", "highest"};

/// All names of each precision.
constexpr std::pair<std::string_view, Precision> kWords[] = {
    {"default", Precision::DEFAULT}, {"fastest", Precision::DEFAULT},  {"bfloat16", Precision::DEFAULT},
    {"high", Precision::HIGH},       {"bfloat16_3x", Precision::HIGH}, {"tensorfloat32", Precision::HIGH},
    {"highest", Precision::HIGHEST}, {"float32", Precision::HIGHEST},
};

/// JAX's presets; hilo's arithmetic is at least as precise as each of them.
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
  const auto* const found = std::ranges::find(kWords, std::string_view(text), [](const auto& w) { return w.first; });
  if (found == std::end(kWords))
    or_throw(invalid_argument("precision (" + describe_location(location) + "): got '" + given +
                              "', wanted default, high, highest or the name of a dot algorithm"));
  *this = PrecisionLike(found->second);
}

std::vector<std::string> PrecisionLike::words() const {
  if (!is_set_) {
    const std::string& word = word_of(WordSetting::kMatmulPrecision);
    return word.empty() ? std::vector<std::string>() : std::vector<std::string>{word, word};
  }
  return {kNames[static_cast<size_t>(lhs_)], kNames[static_cast<size_t>(rhs_)]};
}

}  // namespace hilo::lax

namespace hilo {

WordScope default_matmul_precision(const char* word, std::source_location location) {
  const auto spelled = [&]() -> std::string {
    const WordScope no_other(WordSetting::kMatmulPrecision, "");
    const std::vector<std::string> words = lax::PrecisionLike(word, location).words();
    return words.empty() ? "" : words[0];
  };
  return {WordSetting::kMatmulPrecision, spelled()};
}

}  // namespace hilo
