// SPDX-License-Identifier: Apache-2.0
// hlo/partition/report.h -- the communication that partitioning added to a program, as data.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/opcode.h"

namespace hilo::hlo {

/// Returns the bytes that each device sends in a collective by the usual algorithms (rings; direct exchange for
/// all-to-all). `result_bytes` is the size of the result on each device.
double link_bytes(Opcode collective, int64_t members, double result_bytes);

/// A collective that the partitioner added.
struct Transfer {
  Opcode opcode{};
  int64_t members = 1;      ///< number of devices in a group; 0 for a collective that became unused
  int64_t bytes = 0;        ///< of the result on each device, per execution
  int64_t times = 1;        ///< number of iterations of the surrounding loops, as far as they are known
  std::string instruction;  ///< "dot 'd' (train.cc:41)", in the whole program
  std::string reason;       ///< "operand 0 f32[8,16]: [{x},{}] -> [{},{}]"

  double on_links() const { return link_bytes(opcode, members, static_cast<double>(bytes * times)); }
};

/// An op that every device computes completely, although its arrays are sharded.
struct WholeOp {
  std::string instruction;
  int64_t bytes = 0;  ///< of its operands and results
};

struct PartitionReport {
  std::vector<Transfer> transfers;  ///< in execution order; those of loops appear once, those of all branches appear
  std::vector<WholeOp> whole_ops;
  /// Returns the bytes of all transfers: of their results, or as sent by each device.
  int64_t bytes() const;
  double on_links() const;
};

/// Returns one line per collective, one per whole op, and the total.
std::string to_string(const PartitionReport& report);

}  // namespace hilo::hlo
