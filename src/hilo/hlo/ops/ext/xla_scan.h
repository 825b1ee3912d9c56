// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/xla_scan.h -- XLA's scan: operands xs then carries, a body (x slices, carries) -> (y slices, carries).
// hilo converts it to hilo.scan, which has derivatives and a loop.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Whether steps may be regrouped. hilo never does.
enum class Associative : uint8_t { kUnstated, kTrue, kFalse };
inline constexpr std::string_view kAssociativeNames[] = {"", "true", "false"};

struct XlaScanAttributes : Attributes {
  Int64List dimensions;  ///< exactly one: that of the slices, in xs and ys
  int64_t num_carries = 0;
  bool is_reverse = false;
  Associative is_associative = Associative::kUnstated;
  ComputationPtr to_apply;
};

}  // namespace hilo::hlo
