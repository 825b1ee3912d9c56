// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/op_rows.h -- how each operation becomes HLO: columns of tree/operations.inc.
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

/// How one op of StableHLO becomes HLO: `translate` does it, from what the row says.
struct OpRow {
  std::string_view name;  ///< without "stablehlo."
  Handler translate;
  hlo::Opcode opcode{};
  FieldRow fields[8] = {};
  std::string_view regions[2] = {};  ///< fields of HLO that regions become
};

/// All of them, by name.
std::span<const OpRow> op_rows();
/// Null for an operation that this version doesn't know, or only reads.
const OpRow* find_row(std::string_view operation_name);

}  // namespace hilo::stablehlo
