// SPDX-License-Identifier: Apache-2.0
// 40 programs with sharded arrays over x=2, y=4 (tests/golden/record_link_bytes.py). Compares the bytes that devices
// exchange with XLA:CPU's collectives, and the results with those of one device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "hilo/hlo/partition/partition.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/inspect/bisect/reduce.h"
#include "tests/support/clients.h"
#include "tests/support/partitioned.h"
#include "tests/support/recorded_shardings.h"

namespace hilo::hlo {
namespace {

struct Traffic {
  int64_t results = 0;  ///< bytes of the collectives' results on a device
  double links = 0;     ///< bytes that a device sends
};

/// "all-gather 4 262144 1, all-reduce 2 4 1"
Traffic recorded_traffic(const std::string& line) {
  Traffic traffic;
  std::istringstream entries(line);
  for (std::string entry; std::getline(entries, entry, ',');) {
    std::istringstream words(entry);
    std::string name;
    int64_t members = 0, bytes = 0, times = 0;
    words >> name >> members >> bytes >> times;
    const std::optional<Opcode> opcode = opcode_from_name(name);
    EXPECT_TRUE(opcode && words) << entry;
    if (!opcode) continue;
    traffic.results += bytes * times;
    traffic.links += link_bytes(*opcode, members, static_cast<double>(bytes * times));
  }
  return traffic;
}

/// Programs in which XLA:CPU gathers more than necessary, and the minimum of result bytes of the collectives.
const std::map<std::string, int64_t>& leasts() {
  static const std::map<std::string, int64_t> bytes = {
      {"dot_contracting_to_rows", 65536},  // reduce-scatter: a quarter of all-reduce
      {"top_k", 8192},                     // 8 candidates a row from 4 devices; their indices are unused
      {"cumsum", 1024},                    // 4 devices' totals of 64 columns
      {"fft_along", 262144},               // to rows and back; complex on the second transfer
      {"fft_batch", 0},
      {"dynamic_slice", 4096},
      {"dynamic_update_slice", 0},
      {"concatenate", 65536},  // two halves of a shard
      {"random_normal", 0},
  };
  return bytes;
}

/// Programs whose limit is a tenth of XLA's bytes.
constexpr std::string_view kTenths[] = {"fft_batch", "cumsum", "dynamic_slice", "dynamic_update_slice", "top_k"};

TEST(LinkBytes, AreNeverMoreThanXlasAndATenthWhereXlaGathers) {
  const char* const only = std::getenv("HILO_PARTITION_ONLY");
  const std::vector<tests::RecordedSharding> programs = tests::recorded_shardings("link_bytes.txt");
  EXPECT_EQ(programs.size(), 40u);
  for (const tests::RecordedSharding& recorded : programs) {
    if (only != nullptr && recorded.name != only) continue;
    const auto program = tests::read_annotated(recorded.code);
    ASSERT_TRUE(program.ok()) << recorded.name << ": " << program.status().to_string();
    const PropagationRequest& request = (*program)->request;
    const auto partitioned = partition((*program)->module, request);
    ASSERT_TRUE(partitioned.ok()) << recorded.name << ": " << partitioned.status().to_string();
    const PartitionReport& report = partitioned->report;
    if (only != nullptr) std::cout << print_module(partitioned->module);
    const Traffic theirs = recorded_traffic(recorded.wanted);
    std::cout << recorded.name << ": " << report.bytes() << " bytes, " << report.on_links() << " on links; XLA "
              << theirs.results << ", " << theirs.links << "\n";
    EXPECT_LE(report.bytes(), theirs.results) << recorded.name << "\n" << to_string(report);
    EXPECT_LE(report.on_links(), theirs.links) << recorded.name << "\n" << to_string(report);
    const auto least = leasts().find(recorded.name);
    const int64_t wanted = least == leasts().end() ? report.bytes() : least->second;
    EXPECT_EQ(report.bytes(), wanted) << recorded.name << "\n" << to_string(report);
    const bool tenth = std::ranges::find(kTenths, recorded.name) != std::end(kTenths);
    EXPECT_LE(report.on_links() * (tenth ? 10 : 1), theirs.links) << recorded.name;
  }
}

TEST(LinkBytes, ProgramsGiveWhatTheyGiveWhole) {
  for (const tests::RecordedSharding& recorded : tests::recorded_shardings("link_bytes.txt")) {
    const auto program = tests::read_annotated(recorded.code);
    ASSERT_TRUE(program.ok()) << recorded.name;
    std::mt19937 random(1);
    Invocation invocation{(*program)->module, {}};
    for (const Shape& shape : invocation.module.entry->parameter_shapes())
      invocation.arguments.push_back(tests::random_array(shape, random));
    const auto run = [&](const Module& module,
                         const std::vector<Literal>& arguments) -> StatusOr<std::vector<Literal>> {
      HILO_ASSIGN_OR_RETURN(const PartitionedProgram partitioned, partition(module, (*program)->request));
      return tests::run_partitioned(*tests::cpu_client(), partitioned, (*program)->request.mesh, arguments,
                                    module.entry->result_shape());
    };
    EXPECT_EQ(disagreement(invocation, run), "") << recorded.name;
  }
}

}  // namespace
}  // namespace hilo::hlo
