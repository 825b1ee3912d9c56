// SPDX-License-Identifier: Apache-2.0
// hlo/partition/report.h -- what partitioning a program cost, as data.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/opcode.h"

namespace hilo::hlo {

/// A collective that the partitioner put in.
struct Transfer {
  Opcode opcode{};
  int64_t members = 1;      ///< devices that meet
  int64_t bytes = 0;        ///< of the result on each device
  std::string instruction;  ///< "dot 'd' (train.cc:41)", of the whole program
  std::string reason;       ///< "operand 0 f32[8,16]: [{x},{}] -> [{},{}]"
};

/// An op that every device computes whole, although its arrays are shared.
struct WholeOp {
  std::string instruction;
  int64_t bytes = 0;  ///< of its operands and results
};

struct PartitionReport {
  std::vector<Transfer> transfers;  ///< as the program runs; those of loops and branches once
  std::vector<WholeOp> whole_ops;
  /// Of all transfers.
  int64_t bytes() const;
};

/// One line a collective, one a whole op, and the sum.
std::string to_string(const PartitionReport& report);

}  // namespace hilo::hlo
