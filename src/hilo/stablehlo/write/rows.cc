// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/rows.h"

#include <map>

namespace hilo::stablehlo {

#define HILO_OPERATION(name, pretty, bytecode, translation, writing, ...) StatusOr<bool> writing(const WriteContext&);
#include "hilo/stablehlo/tree/operations.inc"

StatusOr<bool> not_written(const WriteContext&) { return false; }

namespace {

constexpr Inverse kInverses[] = {
#define HILO_OPERATION(name, pretty, bytecode, translation, writing, ...) writing,
#include "hilo/stablehlo/tree/operations.inc"
};

std::map<hlo::Opcode, std::vector<const OpRow*>> index_of_rows() {
  std::map<hlo::Opcode, std::vector<const OpRow*>> index;
  for (const bool own :
       {true, false}) {  // ops of StableHLO before those of CHLO; operations of other dialects are only read
    for (const OpRow& row : op_rows()) {
      const bool is_own = row.name.find('.') == std::string_view::npos || row.name.starts_with("func.");
      if (inverse_of(row) == not_written || is_own != own) continue;
      if (is_own || row.name.starts_with("chlo.")) index[row.opcode].push_back(&row);
    }
  }
  return index;
}

}  // namespace

Inverse inverse_of(const OpRow& row) { return kInverses[&row - op_rows().data()]; }

std::span<const OpRow* const> rows_of(hlo::Opcode opcode) {
  static const std::map<hlo::Opcode, std::vector<const OpRow*>> kIndex = index_of_rows();
  const auto found = kIndex.find(opcode);
  return found == kIndex.end() ? std::span<const OpRow* const>() : std::span<const OpRow* const>(found->second);
}

}  // namespace hilo::stablehlo
