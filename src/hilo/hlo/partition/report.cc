// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/report.h"

#include <fmt/format.h>

namespace hilo::hlo {

double link_bytes(Opcode collective, int64_t members, double result_bytes) {
  const auto devices = static_cast<double>(members);
  if (collective == Opcode::kCollectivePermute) return result_bytes;
  if (collective == Opcode::kReduceScatter) return result_bytes * (devices - 1);
  const double once = result_bytes * (devices - 1) / devices;  // of all-gather and all-to-all
  return collective == Opcode::kAllReduce ? 2 * once : once;
}

int64_t PartitionReport::bytes() const {
  int64_t sum = 0;
  for (const Transfer& transfer : transfers) sum += transfer.bytes * transfer.times;
  return sum;
}

double PartitionReport::on_links() const {
  double sum = 0;
  for (const Transfer& transfer : transfers) sum += transfer.on_links();
  return sum;
}

std::string to_string(const PartitionReport& report) {
  std::string text;
  for (const Transfer& transfer : report.transfers)
    text += fmt::format("{} of {}: {} bytes{}, {:.0f} on links, for {}, {}\n", opcode_name(transfer.opcode),
                        transfer.members, transfer.bytes,
                        transfer.times == 1 ? "" : fmt::format(" {} times", transfer.times), transfer.on_links(),
                        transfer.instruction, transfer.reason);
  for (const WholeOp& op : report.whole_ops)
    text += fmt::format("whole on every device: {}, {} bytes\n", op.instruction, op.bytes);
  text += fmt::format("{} collectives, {} bytes per device, {:.0f} on links; {} ops whole\n", report.transfers.size(),
                      report.bytes(), report.on_links(), report.whole_ops.size());
  return text;
}

}  // namespace hilo::hlo
