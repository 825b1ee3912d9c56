// SPDX-License-Identifier: Apache-2.0
// Programs of JAX with shardings (tests/golden/record_shardings.py), partitioned: what they give, and what moves.
#include "hilo/hlo/partition/partition.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "hilo/hlo/bisect/reduce.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/stablehlo/devices/propagation.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "tests/support/clients.h"
#include "tests/support/partitioned.h"
#include "tests/support/recorded_shardings.h"

namespace hilo::hlo {
namespace {

/// Floats between -1 and 1, small counting numbers.
Literal random_array(const Shape& shape, std::mt19937& random) {
  Literal value(shape.with_default_layout());
  visit_element_type(
      shape.element_type(),
      [&]<typename T>() {
        for (T& element : value.data<T>()) {
          const auto number = static_cast<int>(random() % 2048);
          if constexpr (std::is_same_v<T, bool>) element = number % 2 == 0;
          else if constexpr (std::is_integral_v<T>) element = static_cast<T>(number % 7);
          else element = static_cast<T>(static_cast<float>(number - 1024) / 1024.0F);
        }
      },
      [] {});
  return value;
}

struct Program {
  stablehlo::ModuleTree tree;
  Module module;
  PropagationRequest request;
};

StatusOr<std::unique_ptr<Program>> read_program(const std::string& code) {
  auto program = std::make_unique<Program>();
  HILO_ASSIGN_OR_RETURN(program->tree, stablehlo::read_tree(code, "program"));
  HILO_ASSIGN_OR_RETURN(program->module, stablehlo::translate(program->tree));
  stablehlo::EntryValues parameters, results;
  for (const InstructionId id : program->module.entry->parameters())
    parameters.shapes.push_back(program->module.entry->instruction(id).shape);
  results.shapes = program->module.entry->result_shape().leaves();
  parameters.free.assign(parameters.shapes.size(), false);
  results.free.assign(results.shapes.size(), true);
  HILO_ASSIGN_OR_RETURN(program->request,
                        stablehlo::propagation_request(program->tree, std::move(parameters), std::move(results)));
  return program;
}

TEST(Partition, RecordedProgramsGiveWhatTheyGiveWhole) {
  const char* const only = std::getenv("HILO_PARTITION_ONLY");
  int64_t bytes = 0, collectives = 0, wholes = 0;
  for (const tests::RecordedSharding& recorded : tests::recorded_shardings()) {
    if (only != nullptr && recorded.name != only) continue;
    const auto program = read_program(recorded.code);
    ASSERT_TRUE(program.ok()) << recorded.name << ": " << program.status().to_string();
    const PropagationRequest& request = (*program)->request;
    std::mt19937 random(1);
    Invocation invocation{(*program)->module, {}};
    for (const Shape& shape : invocation.module.entry->parameter_shapes())
      invocation.arguments.push_back(random_array(shape, random));
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
