// SPDX-License-Identifier: Apache-2.0
// hlo/partition/report.h -- what partitioning a program cost, as data.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/opcode.h"

namespace hilo::hlo {

/// What each device sends in a collective by the usual algorithms (rings; for all-to-all, to each its piece), where its result
/// has so many bytes on each device.
double link_bytes(Opcode collective, int64_t members, double result_bytes);

/// A collective that the partitioner put in.
struct Transfer {
  Opcode opcode{};
  int64_t members = 1;      ///< devices that meet; while a program is written 0 for what it turned out not to need
  int64_t bytes = 0;        ///< of the result on each device, each time
  int64_t times = 1;        ///< as often as the loops around it run, so far as the program says that
  std::string instruction;  ///< "dot 'd' (train.cc:41)", of the whole program
  std::string reason;       ///< "operand 0 f32[8,16]: [{x},{}] -> [{},{}]"

  double on_links() const { return link_bytes(opcode, members, static_cast<double>(bytes * times)); }
};

/// An op that every device computes whole, although its arrays are shared.
struct WholeOp {
  std::string instruction;
  int64_t bytes = 0;  ///< of its operands and results
};

struct PartitionReport {
  std::vector<Transfer> transfers;  ///< as the program runs; those of loops stand there once, those of all branches
  std::vector<WholeOp> whole_ops;
  /// Of all transfers: of their results, and what each device sends.
  int64_t bytes() const;
  double on_links() const;
};

/// One line a collective, one a whole op, and the sum.
std::string to_string(const PartitionReport& report);

}  // namespace hilo::hlo
