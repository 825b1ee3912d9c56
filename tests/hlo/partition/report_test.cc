// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/report.h"

#include <gtest/gtest.h>

namespace hilo::hlo {
namespace {

TEST(LinkBytes, AreWhatRingsSend) {
  EXPECT_EQ(link_bytes(Opcode::kAllGather, 4, 400), 300);
  EXPECT_EQ(link_bytes(Opcode::kAllReduce, 4, 400), 600);
  EXPECT_EQ(link_bytes(Opcode::kReduceScatter, 4, 100), 300);
  EXPECT_EQ(link_bytes(Opcode::kAllToAll, 4, 400), 300);
  EXPECT_EQ(link_bytes(Opcode::kCollectivePermute, 2, 400), 400);
}

TEST(PartitionReport, CountsLoopsAsOftenAsTheyRun) {
  PartitionReport report;
  report.transfers.push_back({Opcode::kAllGather, 4, 400, 1, "dot 'd'", "operand 0"});
  report.transfers.push_back({Opcode::kCollectivePermute, 2, 8, 10, "slice 's'", "a rim"});
  report.whole_ops.push_back({"sort 's'", 64});
  EXPECT_EQ(report.bytes(), 480);
  EXPECT_EQ(report.on_links(), 380);
  EXPECT_EQ(to_string(report),
            "all-gather of 4: 400 bytes, 300 on links, for dot 'd', operand 0\n"
            "collective-permute of 2: 8 bytes 10 times, 80 on links, for slice 's', a rim\n"
            "whole on every device: sort 's', 64 bytes\n"
            "2 collectives, 480 bytes per device, 380 on links; 1 ops whole\n");
}

}  // namespace
}  // namespace hilo::hlo
