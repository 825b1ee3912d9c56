// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/vhlo.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "hilo/base/sizes.h"
#include "hilo/stablehlo/tree/operations.h"

namespace hilo::stablehlo {
namespace {

/// The columns of operations.inc that bytecode needs.
struct Row {
  std::string_view name, bytecode;
};
constexpr Row kVhloRows[] = {
#define HILO_OPERATION(name, pretty, bytecode, ...) {name, bytecode},
#include "hilo/stablehlo/tree/operations.inc"
};

/// Returns whether the dialect's operations are stored unchanged in portable artefacts.
bool is_portable(std::string_view tree_name) {
  return tree_name.starts_with("builtin.") || tree_name.starts_with("sdy.");
}

/// Appends the forms of one row. An operation without "=" in its row has its own form without properties.
void append_forms(Row row, std::vector<BytecodeOperation>& forms) {
  const std::string tree_name(in_tree(row.name));
  bool has_own = false;
  while (!row.bytecode.empty()) {
    std::string_view properties = take_until(row.bytecode, ';');
    std::string_view versions = take_until(properties, ':');
    while (!versions.empty()) {
      std::string_view version = take_until(versions, ' ');
      const bool newer = version.ends_with('+'), own = version == "=";
      has_own |= own;
      if (newer) version.remove_suffix(1);
      const std::string bare = tree_name.substr(tree_name.find('.') + 1);
      forms.push_back({own ? tree_name : fmt::format("vhlo.{}_{}", bare, version), tree_name, std::string(properties),
                       newer || (own && !is_portable(tree_name))});
    }
  }
  if (!has_own) forms.push_back({tree_name, tree_name, "", true});
}

/// Returns one form per version of each operation; later versions follow earlier ones.
std::vector<BytecodeOperation> all_forms() {
  std::vector<BytecodeOperation> forms;
  for (const Row& row : kVhloRows) append_forms(row, forms);
  forms.push_back({"func.return", "stablehlo.return", "", true});
  return forms;
}

const std::vector<BytecodeOperation>& forms() {
  static const auto* const kForms = new std::vector(all_forms());
  return *kForms;
}

constexpr std::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr std::string_view kComparisonTypes[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr std::string_view kAlgorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr std::string_view kDistributions[] = {"", "UNIFORM", "NORMAL"};
constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kAccuracies[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

}  // namespace

const BytecodeOperation* find_bytecode_operation(std::string_view name) {
  static const auto* const kIndex = [] {
    auto* const index = new std::unordered_map<std::string_view, const BytecodeOperation*>;
    for (const BytecodeOperation& form : forms()) index->emplace(form.name, &form);
    return index;
  }();
  const auto found = kIndex->find(name);
  return found == kIndex->end() ? nullptr : found->second;
}

const BytecodeOperation* find_written_operation(std::string_view tree_name) {
  static const auto* const kIndex = [] {
    auto* const index = new std::unordered_map<std::string_view, const BytecodeOperation*>;
    for (const BytecodeOperation& form : forms()) {
      if (!form.read_only) (*index)[form.tree_name] = &form;
    }
    (*index)["func.return"] = index->at("stablehlo.return");
    return index;
  }();
  const auto found = kIndex->find(tree_name);
  return found == kIndex->end() ? nullptr : found->second;
}

std::optional<uint64_t> vhlo_type_code(ElementType type) {
  constexpr uint64_t kIndexCode = ordinal(VhloType::kIndex), kCodes = 43;
  for (uint64_t code = 0; code < kCodes; ++code) {
    if (code != kIndexCode && type != ElementType::kOpaque && vhlo_element_type(code) == type) return code;
  }
  return std::nullopt;
}

ElementType vhlo_element_type(uint64_t code) {
  using enum ElementType;
  constexpr ElementType kFirst[] = {kPred, kOpaque, kBf16, kF16, kF32, kF64, kF8E4M3Fn, kF8E5M2, kOpaque, kS64,
                                    kS4,   kS8,     kS16,  kS32, kS64, kU4,  kU8,       kU16,    kU32,    kU64};
  if (code < std::size(kFirst)) return kFirst[code];
  switch (code) {
    case 27: return kF8E4M3Fnuz;
    case 28: return kF8E5M2Fnuz;
    case 29: return kF8E4M3B11Fnuz;
    case 31: return kS2;
    case 32: return kU2;
    case 35: return kF8E4M3;
    case 36: return kF8E3M4;
    case 37: return kF4E2M1Fn;
    case 40: return kF8E8M0Fnu;
    default: return kOpaque;
  }
}

std::span<const std::string_view> vhlo_words(VhloAttribute code) {
  switch (code) {
    case VhloAttribute::kComparisonDirection: return kDirections;
    case VhloAttribute::kComparisonType: return kComparisonTypes;
    case VhloAttribute::kFftType: return kFftTypes;
    case VhloAttribute::kPrecision: return kPrecisions;
    case VhloAttribute::kRngAlgorithm: return kAlgorithms;
    case VhloAttribute::kRngDistribution: return kDistributions;
    case VhloAttribute::kTranspose: return kTransposes;
    case VhloAttribute::kResultAccuracyMode: return kAccuracies;
    default: return {};
  }
}

}  // namespace hilo::stablehlo
