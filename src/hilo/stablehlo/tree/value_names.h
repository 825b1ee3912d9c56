// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/value_names.h -- the scopes of value names in MLIR text, region by region.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>

#include "hilo/base/text_hash.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Maps names to values. Most values have numbers in MLIR (%0, %1, ...), which index a list. Other names such as %arg0
/// are in a table.
class ValueNames {
 public:
  struct Definition {
    ValueId first = 0;
    uint32_t count = 0;  ///< %x:2 is two values; 0 means undefined
  };

  /// Numbers from `most_numbers` on are treated as names, so that the list is no longer than the text.
  explicit ValueNames(size_t most_numbers) : most_numbers_(most_numbers) {}

  /// Returns a count of 0 if `name` isn't defined here.
  Definition find(std::string_view name) const {
    if (const std::optional<size_t> number = number_of(name))
      return *number < numbered_.size() ? numbered_[*number] : Definition{};
    const auto found = named_.find(name);
    return found == named_.end() ? Definition{} : found->second;
  }

  /// Defines a name. Returns false if it is already visible.
  bool define(std::string_view name, Definition definition) {
    defined_.push_back(name);
    const std::optional<size_t> number = number_of(name);
    if (!number) return named_.emplace(name, definition).second;
    if (*number >= numbered_.size()) numbered_.resize(*number + 1);
    if (numbered_[*number].count != 0) return false;
    numbered_[*number] = definition;
    return true;
  }

  /// Begins a region; end_region() removes its names.
  size_t begin_region() const { return defined_.size(); }
  void end_region(size_t begin) {
    for (; defined_.size() > begin; defined_.pop_back()) {
      const std::optional<size_t> number = number_of(defined_.back());
      if (number) numbered_[*number] = {};
      else named_.erase(defined_.back());
    }
  }

 private:
  /// Returns the number in MLIR's notation, without leading zeros.
  std::optional<size_t> number_of(std::string_view name) const {
    constexpr size_t kMaxDigits = 9;
    if (name.empty() || name.size() > kMaxDigits || (name[0] == '0' && name.size() > 1)) return std::nullopt;
    size_t number = 0;
    for (const char c : name) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + static_cast<size_t>(c - '0');
    }
    return number < most_numbers_ ? std::optional<size_t>(number) : std::nullopt;
  }

  size_t most_numbers_;
  std::vector<Definition> numbered_;
  boost::unordered_flat_map<std::string_view, Definition, TextHash> named_;
  std::vector<std::string_view> defined_;  // in order
};

}  // namespace hilo::stablehlo
