// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/op_rows.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/base/text_hash.h"
#include "hilo/hlo/ir/extensions.h"

namespace hilo::stablehlo {

#define HILO_OPERATION(name, pretty, bytecode, translation, ...) Status translation(const OpContext&);
#include "hilo/stablehlo/tree/operations.inc"

/// For rows that find_row doesn't return; such operations are rejected by name.
Status not_translated(const OpContext&) { return internal_error("an operation that is only read"); }

namespace {

using hlo::Opcode;

constexpr OpRow kRows[] = {
#define HILO_OPERATION(name, pretty, bytecode, translation, writing, ...) \
  {name, translation __VA_OPT__(, ) __VA_ARGS__},
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
      if (row.translate != not_translated) rows->emplace(row.name, &row);
    }
    return rows;
  }();
  const auto found = by_name->find(name);
  return found == by_name->end() ? nullptr : found->second;
}

}  // namespace hilo::stablehlo
