// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/report.h"

#include <fmt/format.h>

namespace hilo::hlo {

int64_t PartitionReport::bytes() const {
  int64_t sum = 0;
  for (const Transfer& transfer : transfers) sum += transfer.bytes;
  return sum;
}

std::string to_string(const PartitionReport& report) {
  std::string text;
  for (const Transfer& transfer : report.transfers)
    text += fmt::format("{} of {}: {} bytes for {}, {}\n", opcode_name(transfer.opcode), transfer.members,
                        transfer.bytes, transfer.instruction, transfer.reason);
  for (const WholeOp& op : report.whole_ops)
    text += fmt::format("whole on every device: {}, {} bytes\n", op.instruction, op.bytes);
  text += fmt::format("{} collectives, {} bytes a device; {} ops whole\n", report.transfers.size(), report.bytes(),
                      report.whole_ops.size());
  return text;
}

}  // namespace hilo::hlo
