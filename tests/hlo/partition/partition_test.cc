// SPDX-License-Identifier: Apache-2.0
// Partitions JAX programs with shardings (tests/golden/record_shardings.py), and checks their results and transfers.
#include "hilo/hlo/partition/partition.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "hilo/hlo/text/printer.h"
#include "hilo/inspect/bisect/agreement.h"
#include "hilo/inspect/bisect/reduce.h"
#include "tests/support/clients.h"
#include "tests/support/partitioned.h"
#include "tests/support/recorded_shardings.h"

namespace hilo::hlo {
namespace {

std::vector<Literal> random_arguments(const Module& module) {
  std::mt19937 random(1);
  std::vector<Literal> arguments;
  for (const Shape& shape : module.entry->parameter_shapes()) arguments.push_back(tests::random_array(shape, random));
  return arguments;
}

bool is_by_hand(const tests::RecordedSharding& recorded) { return recorded.name.starts_with("shard_map"); }

TEST(Partition, RecordedProgramsGiveWhatTheyGiveWhole) {
  const char* const only = std::getenv("HILO_PARTITION_ONLY");
  int64_t bytes = 0, collectives = 0, wholes = 0;
  for (const tests::RecordedSharding& recorded : tests::recorded_shardings()) {
    if ((only != nullptr && recorded.name != only) || is_by_hand(recorded)) continue;
    const auto program = tests::read_annotated(recorded.code);
    ASSERT_TRUE(program.ok()) << recorded.name << ": " << program.status().to_string();
    const PropagationRequest& request = (*program)->request;
    const Invocation invocation{(*program)->module, random_arguments((*program)->module)};
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
    EXPECT_EQ(disagreement(invocation, run), "") << recorded.name;
  }
  std::cout << collectives << " collectives, " << bytes << " bytes, " << wholes << " whole ops\n";
}

/// The reference is a program of replicas. Each has all arrays whole, slices them itself and joins them by all-gather.
TEST(Partition, ComputationsByHandGiveWhatReplicasGiveThatHaveAllArraysWhole) {
  const char* const only = std::getenv("HILO_PARTITION_ONLY");
  int programs = 0;
  for (const tests::RecordedSharding& recorded : tests::recorded_shardings()) {
    if ((only != nullptr && recorded.name != only) || !is_by_hand(recorded)) continue;
    ++programs;
    const auto program = tests::read_annotated(recorded.code);
    ASSERT_TRUE(program.ok()) << recorded.name << ": " << program.status().to_string();
    const Module& module = (*program)->module;
    const Mesh& mesh = (*program)->request.mesh;
    const auto partitioned = partition(module, (*program)->request);
    ASSERT_TRUE(partitioned.ok()) << recorded.name << ": " << partitioned.status().to_string();
    if (only != nullptr) std::cout << print_module(partitioned->module) << to_string(partitioned->report);
    const std::vector<Literal> arguments = random_arguments(module);
    const auto devices = static_cast<size_t>(mesh.device_count());
    const tests::OfReplicas wanted =
        tests::run_on_replicas(*tests::cpu_client(), module, tests::OfReplicas(devices, arguments));
    const auto got =
        tests::run_partitioned(*tests::cpu_client(), *partitioned, mesh, arguments, module.entry->result_shape());
    ASSERT_TRUE(got.ok()) << recorded.name << ": " << got.status().to_string();
    ASSERT_EQ(got->size(), wanted[0].size());
    for (size_t i = 0; i < got->size(); ++i)
      EXPECT_EQ(parting((*got)[i], wanted[0][i], greatest_magnitude(wanted[0][i])), "") << recorded.name;
  }
  EXPECT_GE(programs, only == nullptr ? 11 : 0);
}

/// Each manual computation takes and returns one shard of each array. hilo adds no collective to those of the program.
TEST(Partition, ComputationsByHandMoveNothingOfTheirOwn) {
  for (const tests::RecordedSharding& recorded : tests::recorded_shardings()) {
    if (recorded.name != "shard_map_sum" && recorded.name != "shard_map_ring") continue;
    const auto program = tests::read_annotated(recorded.code);
    const auto partitioned = partition((*program)->module, (*program)->request);
    ASSERT_TRUE(partitioned.ok()) << recorded.name;
    for (const Transfer& transfer : partitioned->report.transfers)
      EXPECT_EQ(transfer.reason, "a collective of the program") << recorded.name;
  }
}

TEST(Partition, CallsOfGspmdAreComputationsByHandToo) {
  const auto program = tests::read_annotated(R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
      %2 = stablehlo.negate %1 : tensor<2xf32>
      %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2xf32>) -> tensor<2xf32>
      %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xf32>) -> tensor<4xf32>
      return %4 : tensor<4xf32>
    }
  })");
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const auto partitioned = partition((*program)->module, (*program)->request);
  ASSERT_TRUE(partitioned.ok()) << partitioned.status().to_string();
  EXPECT_EQ(partitioned->report.transfers.size(), 0u) << to_string(partitioned->report);
  EXPECT_EQ(partitioned->module.entry->result_shape().leaves()[0], Shape::array(ElementType::kF32, {2}));
  const std::vector<Literal> arguments = random_arguments((*program)->module);
  const auto got = tests::run_partitioned(*tests::cpu_client(), *partitioned, (*program)->request.mesh, arguments,
                                          (*program)->module.entry->result_shape());
  ASSERT_TRUE(got.ok()) << got.status().to_string();
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ((*got)[0].data<float>()[i], -arguments[0].data<float>()[i]);
}

TEST(Partition, CollectivesOutsideOfComputationsByHandAreRefused) {
  const auto program = tests::read_annotated(tests::recorded_shardings()[0].code);
  ASSERT_TRUE(program.ok());
  Module module = (*program)->module;
  ComputationDraft draft("main");
  const InstructionId operand = draft.append_copy(module.entry->instruction(module.entry->parameters()[0]), {});
  const InstructionId id = draft.append(Opcode::kReplicaId, Shape::scalar(ElementType::kU32), {});
  const Shape shape = draft.instruction(operand).shape;
  const InstructionId root =
      draft.append(Opcode::kTuple, Shape::tuple({shape, Shape::scalar(ElementType::kU32)}), {{operand, id}});
  module.entry = *std::move(draft).finish(root);
  const Status refused = partition(module, (*program)->request).status();
  EXPECT_EQ(refused.code(), StatusCode::kUnimplemented);
  EXPECT_NE(refused.to_string().find("already contains per-device code"), std::string::npos) << refused.to_string();
}

}  // namespace
}  // namespace hilo::hlo
