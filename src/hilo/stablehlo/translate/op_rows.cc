// SPDX-License-Identifier: Apache-2.0
// How each operation becomes HLO: the translations of tree/operations.inc.
#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/stablehlo/translate/parts.h"

namespace hilo::stablehlo {
namespace {

using hlo::Opcode;

constexpr OpRow kRows[] = {
#define HILO_OPERATION(name, pretty, bytecode, ...) {name, __VA_ARGS__},
#include "hilo/stablehlo/tree/operations.inc"
};

static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const OpRow& a, const OpRow& b) { return a.name < b.name; }));

}  // namespace

std::span<const OpRow> op_rows() { return kRows; }

const OpRow* find_row(std::string_view name) {
  if (name.starts_with("stablehlo.")) name.remove_prefix(std::string_view("stablehlo.").size());
  static const auto* const by_name = [] {
    auto* const rows = new boost::unordered_flat_map<std::string_view, const OpRow*, TextHash>;
    for (const OpRow& row : kRows) {
      if (row.translate != nullptr) rows->emplace(row.name, &row);
    }
    return rows;
  }();
  const auto found = by_name->find(name);
  return found == by_name->end() ? nullptr : found->second;
}

}  // namespace hilo::stablehlo
