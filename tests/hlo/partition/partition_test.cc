// SPDX-License-Identifier: Apache-2.0
// Programs of JAX with shardings (tests/golden/record_shardings.py), partitioned: what they give, and what moves.
#include "hilo/hlo/partition/partition.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "hilo/hlo/bisect/reduce.h"
#include "hilo/hlo/text/printer.h"
#include "tests/support/clients.h"
#include "tests/support/partitioned.h"
#include "tests/support/recorded_shardings.h"

namespace hilo::hlo {
namespace {

TEST(Partition, RecordedProgramsGiveWhatTheyGiveWhole) {
  const char* const only = std::getenv("HILO_PARTITION_ONLY");
  int64_t bytes = 0, collectives = 0, wholes = 0;
  for (const tests::RecordedSharding& recorded : tests::recorded_shardings()) {
    if (only != nullptr && recorded.name != only) continue;
    const auto program = tests::read_annotated(recorded.code);
    ASSERT_TRUE(program.ok()) << recorded.name << ": " << program.status().to_string();
    const PropagationRequest& request = (*program)->request;
    std::mt19937 random(1);
    Invocation invocation{(*program)->module, {}};
    for (const Shape& shape : invocation.module.entry->parameter_shapes())
      invocation.arguments.push_back(tests::random_array(shape, random));
    const auto run = [&](const Module& module,
                         const std::vector<Literal>& arguments) -> StatusOr<std::vector<Literal>> {
      HILO_ASSIGN_OR_RETURN(const PartitionedProgram partitioned, partition(module, request));
      bytes += partitioned.report.bytes();
      collectives += static_cast<int64_t>(partitioned.report.transfers.size());
      wholes += static_cast<int64_t>(partitioned.report.whole_ops.size());
      if (only != nullptr) std::cout << print_module(partitioned.module) << to_string(partitioned.report);
      return tests::run_partitioned(*tests::cpu_client(), partitioned, request.mesh, arguments,
                                    module.entry->result_shape());
    };
    if (recorded.name.starts_with("shard_map")) {
      EXPECT_EQ(partition(invocation.module, request).status().code(), StatusCode::kUnimplemented) << recorded.name;
    } else {
      EXPECT_EQ(disagreement(invocation, run), "") << recorded.name;
    }
  }
  std::cout << collectives << " collectives, " << bytes << " bytes, " << wholes << " whole ops\n";
}

}  // namespace
}  // namespace hilo::hlo
