// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/op_rows.h -- the translation of each operation to HLO: columns of tree/operations.inc.
#pragma once

#include <span>

#include "hilo/base/status.h"
#include "hilo/hlo/ir/opcode.h"

namespace hilo::stablehlo {

/// One attribute of a row: its name in StableHLO, and in HLO if that differs.
struct FieldRow {
  std::string_view name, hlo = {};
  std::string_view hlo_name() const { return hlo.empty() ? name : hlo; }
};

struct OpContext;
using Handler = Status (*)(const OpContext&);

/// The translation of one StableHLO op to HLO, by the function `translate` and the data of the row.
struct OpRow {
  std::string_view name;  ///< without "stablehlo."
  Handler translate;
  hlo::Opcode opcode{};
  FieldRow fields[8] = {};
  std::string_view regions[2] = {};  ///< fields of HLO for the regions
};

/// Returns all rows, sorted by name.
std::span<const OpRow> op_rows();
/// Returns null for an operation that is unknown or that can only be read.
const OpRow* find_row(std::string_view operation_name);

}  // namespace hilo::stablehlo
