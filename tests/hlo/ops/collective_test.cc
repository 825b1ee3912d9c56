// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/collective.h"

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

const Shape kF32x4 = Shape::array(ElementType::kF32, {4});
const Shape kF32x6x4 = Shape::array(ElementType::kF32, {6, 4});

template <typename T>
std::shared_ptr<T> over(Int64Lists groups) {
  auto attributes = std::make_shared<T>();
  attributes->replica_groups = std::move(groups);
  return attributes;
}

std::shared_ptr<AllReduceAttributes> sum_over(Int64Lists groups) {
  auto attributes = over<AllReduceAttributes>(std::move(groups));
  attributes->to_apply = body_of(Opcode::kAdd, ElementType::kF32);
  return attributes;
}

std::shared_ptr<ReduceScatterAttributes> scatter_over(Int64Lists groups, Int64List dimensions) {
  auto attributes = over<ReduceScatterAttributes>(std::move(groups));
  attributes->dimensions = std::move(dimensions);
  attributes->to_apply = body_of(Opcode::kAdd, ElementType::kF32);
  return attributes;
}

std::shared_ptr<AllGatherAttributes> gather_over(Int64Lists groups, Int64List dimensions) {
  auto attributes = over<AllGatherAttributes>(std::move(groups));
  attributes->dimensions = std::move(dimensions);
  return attributes;
}

std::shared_ptr<AllToAllAttributes> exchange_over(Int64Lists groups, Int64List dimensions = {}) {
  auto attributes = over<AllToAllAttributes>(std::move(groups));
  attributes->dimensions = std::move(dimensions);
  return attributes;
}

std::shared_ptr<CollectivePermuteAttributes> permute_by(Int64Pairs pairs, int64_t channel_id = 0) {
  auto attributes = std::make_shared<CollectivePermuteAttributes>();
  attributes->source_target_pairs = std::move(pairs);
  attributes->channel_id = channel_id;
  return attributes;
}

std::string shape_text(const StatusOr<Shape>& shape) {
  return shape.ok() ? shape->to_string() : shape.status().to_string();
}

TEST(AllReduce, KeepsTheShapesOfItsOperands) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, sum_over({{0, 1}}))), "f32[4]");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4, kF32x6x4}, sum_over({}))), "(f32[4], f32[6,4])");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {}, sum_over({}))),
            "INVALID_ARGUMENT: got no operands, wanted at least one");
}

TEST(AllReduce, C1RefusesAnIdThatStandsTwice) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, sum_over({{0, 1}, {1, 2}}))),
            "INVALID_ARGUMENT: replica_groups: 1 appears twice in the groups");
}

TEST(AllReduce, C2RefusesGroupsThatLeaveReplicasOut) {
  const ComputationPtr main = *computation_of(Opcode::kAllReduce, {kF32x4}, sum_over({{0, 1}}));
  EXPECT_EQ(error_of(group_of(main->root(), 0, 4)),
            "INVALID_ARGUMENT: replica_groups: 2 ids for 4 replicas; wanted each once");
}

TEST(AllReduce, C3RefusesAnIdOutOfRange) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, sum_over({{0, 3}}))),
            "INVALID_ARGUMENT: replica_groups: 3 is out of range; wanted each of the ids 0 to 1 once; got 2 ids");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, sum_over({{0, -1}}))),
            "INVALID_ARGUMENT: replica_groups: -1 is out of range; wanted each of the ids 0 to 1 once; got 2 ids");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, sum_over({{0}, {}}))),
            "INVALID_ARGUMENT: replica_groups: a group is empty");
}

TEST(AllReduce, C4WantsAChannelForGlobalDeviceIds) {
  auto attributes = sum_over({{0, 1}});
  attributes->use_global_device_ids = true;
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, attributes)),
            "INVALID_ARGUMENT: use_global_device_ids: needs a channel_id above 0; got 0");
  attributes->channel_id = 1;
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, attributes)), "f32[4]");
}

TEST(AllReduce, C5WantsAReducerOfTheOperandsType) {
  auto attributes = sum_over({});
  attributes->to_apply = body_of(Opcode::kAdd, ElementType::kS32);
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, attributes)),
            "INVALID_ARGUMENT: to_apply 'add.s32': parameter 0 is s32[], wanted f32[]");
  attributes->to_apply = nullptr;
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllReduce, {kF32x4}, attributes)),
            "INVALID_ARGUMENT: to_apply: the computation is missing");
}

TEST(ReduceScatter, DividesItsDimension) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x6x4}, scatter_over({{0, 1, 2}}, {0}))), "f32[2,4]");
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x6x4}, scatter_over({}, {1}),
                                Shape::array(ElementType::kF32, {6, 2}))),
            "f32[6,2]");
  EXPECT_EQ(
      shape_text(shape_of(Opcode::kReduceScatter, {kF32x6x4}, scatter_over({}, {1}))),
      "INVALID_ARGUMENT: the result's shape must be stated if replica_groups={} leaves the number of replicas open");
}

TEST(ReduceScatter, C1WantsADimensionDivisibleByTheGroup) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x6x4}, scatter_over({{0, 1, 2}}, {1}))),
            "INVALID_ARGUMENT: dimension 1 of f32[6,4] isn't divisible by the 3 members of a group");
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x6x4}, scatter_over({}, {1}),
                                Shape::array(ElementType::kF32, {6, 3}))),
            "INVALID_ARGUMENT: dimension 1 is 4 in the operand and 3 in the result; wanted a multiple");
}

TEST(ReduceScatter, C2WantsADimensionInRange) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x4}, scatter_over({{0, 1}}, {1}))),
            "INVALID_ARGUMENT: dimensions 1 out of range for f32[4] of rank 1");
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x4}, scatter_over({{0, 1}}, {}))),
            "INVALID_ARGUMENT: dimensions: got {}, wanted exactly one");
}

TEST(ReduceScatter, C3C5C6C7ChecksGroupsAndReducer) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x4}, scatter_over({{0, 0}}, {0}))),
            "INVALID_ARGUMENT: replica_groups: 0 appears twice in the groups");
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x4}, scatter_over({{0, 2}}, {0}))),
            "INVALID_ARGUMENT: replica_groups: 2 is out of range; wanted each of the ids 0 to 1 once; got 2 ids");
  auto attributes = scatter_over({{0, 1}}, {0});
  attributes->use_global_device_ids = true;
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x4}, attributes)),
            "INVALID_ARGUMENT: use_global_device_ids: needs a channel_id above 0; got 0");
  attributes = scatter_over({{0, 1}}, {0});
  attributes->to_apply = body_of(Opcode::kAdd, ElementType::kS32);
  EXPECT_EQ(shape_text(shape_of(Opcode::kReduceScatter, {kF32x4}, attributes)),
            "INVALID_ARGUMENT: to_apply 'add.s32': parameter 0 is s32[], wanted f32[]");
}

TEST(AllGather, MultipliesItsDimension) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllGather, {kF32x6x4}, gather_over({{0, 1}, {2, 3}}, {1}))), "f32[6,8]");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllGather, {kF32x4, kF32x6x4}, gather_over({{0, 1}}, {0}))),
            "(f32[8], f32[12,4])");
  EXPECT_EQ(
      shape_text(shape_of(Opcode::kAllGather, {kF32x4}, gather_over({}, {0}), Shape::array(ElementType::kF32, {12}))),
      "f32[12]");
}

TEST(AllGather, C1WantsADimensionInRange) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllGather, {kF32x4}, gather_over({{0, 1}}, {-1}))),
            "INVALID_ARGUMENT: dimensions -1 out of range for f32[4] of rank 1");
}

TEST(AllGather, C2C4C5ChecksGroups) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllGather, {kF32x4}, gather_over({{0, 1}, {1, 2}}, {0}))),
            "INVALID_ARGUMENT: replica_groups: 1 appears twice in the groups");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllGather, {kF32x4}, gather_over({{0, 5}}, {0}))),
            "INVALID_ARGUMENT: replica_groups: 5 is out of range; wanted each of the ids 0 to 1 once; got 2 ids");
  auto attributes = gather_over({{0, 1}}, {0});
  attributes->use_global_device_ids = true;
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllGather, {kF32x4}, attributes)),
            "INVALID_ARGUMENT: use_global_device_ids: needs a channel_id above 0; got 0");
}

TEST(AllGather, WantsGroupsOfOneSizeBecauseAllResultsHaveOneShape) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllGather, {kF32x4}, gather_over({{0, 1}, {2}}, {0}))),
            "INVALID_ARGUMENT: replica_groups: groups differ in size; got {0,1} and {2}");
}

TEST(AllToAll, KeepsTheShapeOrGivesOneResultAMember) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x6x4}, exchange_over({{0, 1, 2}}, {0}))), "f32[6,4]");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x4, kF32x4}, exchange_over({{0, 1}}))), "(f32[4], f32[4])");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x4}, exchange_over({{0}}))), "(f32[4])");
}

TEST(AllToAll, C1C2WantsADimensionInRangeAndDivisible) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x6x4}, exchange_over({{0, 1}}, {2}))),
            "INVALID_ARGUMENT: dimensions 2 out of range for f32[6,4] of rank 2");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x6x4}, exchange_over({{0, 1, 2}}, {1}))),
            "INVALID_ARGUMENT: dimension 1 of f32[6,4] isn't divisible by the 3 members of a group");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x4, kF32x4}, exchange_over({{0, 1}}, {0}))),
            "INVALID_ARGUMENT: got 2 operands, wanted 1 if there are dimensions");
}

TEST(AllToAll, C5C7C8ChecksGroups) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x4}, exchange_over({{0, 0}}, {0}))),
            "INVALID_ARGUMENT: replica_groups: 0 appears twice in the groups");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x4}, exchange_over({{0, 7}}, {0}))),
            "INVALID_ARGUMENT: replica_groups: 7 is out of range; wanted each of the ids 0 to 1 once; got 2 ids");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x4, kF32x4}, exchange_over({{0, 1, 2}}))),
            "INVALID_ARGUMENT: got 2 operands for the 3 members of a group; wanted one each");
  EXPECT_EQ(shape_text(shape_of(Opcode::kAllToAll, {kF32x4, kF32x6x4}, exchange_over({{0, 1}}))),
            "INVALID_ARGUMENT: operands differ in shape; got f32[4], f32[6,4]");
}

TEST(CollectivePermute, C2C3WantsUniqueSourcesAndTargets) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kCollectivePermute, {kF32x4}, permute_by({{0, 1}, {1, 0}}))), "f32[4]");
  EXPECT_EQ(shape_text(shape_of(Opcode::kCollectivePermute, {kF32x4}, permute_by({{0, 1}, {0, 2}}))),
            "INVALID_ARGUMENT: source_target_pairs: 0 is source twice");
  EXPECT_EQ(shape_text(shape_of(Opcode::kCollectivePermute, {kF32x4}, permute_by({{0, 1}, {2, 1}}))),
            "INVALID_ARGUMENT: source_target_pairs: 1 is target twice");
}

TEST(CollectivePermute, C4WantsIdsInRange) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kCollectivePermute, {kF32x4}, permute_by({{0, -1}}))),
            "INVALID_ARGUMENT: source_target_pairs: {0,-1} is out of range; wanted numbers from 0 on");
  const ComputationPtr main = *computation_of(Opcode::kCollectivePermute, {kF32x4}, permute_by({{0, 3}}));
  EXPECT_EQ(error_of(permute_partners(main->root(), 0, 2)),
            "INVALID_ARGUMENT: source_target_pairs: 3 is out of range; the program runs on 2 replicas");
}

TEST(CollectivePermute, KnowsWhoSendsToWhom) {
  const ComputationPtr main = *computation_of(Opcode::kCollectivePermute, {kF32x4}, permute_by({{0, 1}, {1, 2}}));
  const std::pair<int64_t, int64_t> wanted[] = {{1, -1}, {2, 0}, {-1, 1}, {-1, -1}};
  for (int64_t r = 0; r < 4; ++r) {
    const PermutePartners partners = *permute_partners(main->root(), r, 4);
    EXPECT_EQ(std::pair(partners.target, partners.source), wanted[r]) << r;
  }
}

TEST(CollectiveBroadcast, C1C2AllowsGroupsOfSomeReplicas) {
  EXPECT_EQ(shape_text(shape_of(Opcode::kCollectiveBroadcast, {kF32x4}, over<CollectiveAttributes>({{2, 0}}))),
            "f32[4]");
  EXPECT_EQ(shape_text(shape_of(Opcode::kCollectiveBroadcast, {kF32x4}, over<CollectiveAttributes>({{2, 2}}))),
            "INVALID_ARGUMENT: replica_groups: 2 appears twice in the groups");
  EXPECT_EQ(shape_text(shape_of(Opcode::kCollectiveBroadcast, {kF32x4}, over<CollectiveAttributes>({{-2}}))),
            "INVALID_ARGUMENT: replica_groups: -2 is out of range; wanted a number from 0 on");
  const ComputationPtr main =
      *computation_of(Opcode::kCollectiveBroadcast, {kF32x4}, over<CollectiveAttributes>({{2, 0}}));
  EXPECT_EQ(*group_of(main->root(), 0, 3), (Int64List{2, 0}));
  EXPECT_EQ(*group_of(main->root(), 1, 3), Int64List());
  EXPECT_EQ(error_of(group_of(main->root(), 0, 2)),
            "INVALID_ARGUMENT: replica_groups: 2 is out of range; the program runs on 2 replicas");
}

TEST(Groups, EmptyMeansAllAndPartitionsAreOne) {
  const ComputationPtr all = *computation_of(Opcode::kAllReduce, {kF32x4}, sum_over({}));
  EXPECT_EQ(*group_of(all->root(), 1, 3), (Int64List{0, 1, 2}));
  EXPECT_FALSE(stays_in_replica(all->root()));
  // With a channel, the groups contain partitions, so each replica is alone in its group.
  auto attributes = exchange_over({{0}}, {0});
  attributes->channel_id = 1;
  const ComputationPtr exchange = *computation_of(Opcode::kAllToAll, {kF32x4}, attributes);
  EXPECT_EQ(*group_of(exchange->root(), 2, 3), Int64List{2});
  const ComputationPtr permute = *computation_of(Opcode::kCollectivePermute, {kF32x4}, permute_by({{0, 0}}, 1));
  EXPECT_EQ(permute_partners(permute->root(), 2, 3)->source, 2);
}

TEST(Alone, EveryCollectiveIsTheIdentity) {
  const Literal x = Literal::array<float>({4}, {1, 2, 3, 4});
  EXPECT_EQ(text_of(run_op(Opcode::kAllReduce, {x}, sum_over({}))), "f32[4] {1, 2, 3, 4}");
  EXPECT_EQ(text_of(run_op(Opcode::kAllReduce, {x, x}, sum_over({{0}}))), "(f32[4] {1, 2, 3, 4}, f32[4] {1, 2, 3, 4})");
  EXPECT_EQ(text_of(run_op(Opcode::kReduceScatter, {x}, scatter_over({{0}}, {0}))), "f32[4] {1, 2, 3, 4}");
  EXPECT_EQ(text_of(run_op(Opcode::kAllGather, {x}, gather_over({{0}}, {0}))), "f32[4] {1, 2, 3, 4}");
  EXPECT_EQ(text_of(run_op(Opcode::kAllToAll, {x}, exchange_over({{0}}, {0}))), "f32[4] {1, 2, 3, 4}");
  EXPECT_EQ(text_of(run_op(Opcode::kAllToAll, {x}, exchange_over({}))), "(f32[4] {1, 2, 3, 4})");
  EXPECT_EQ(text_of(run_op(Opcode::kCollectiveBroadcast, {x}, over<CollectiveAttributes>({{0}}))),
            "f32[4] {1, 2, 3, 4}");
  EXPECT_EQ(text_of(run_op(Opcode::kCollectivePermute, {x}, permute_by({{0, 0}}))), "f32[4] {1, 2, 3, 4}");
  EXPECT_EQ(text_of(run_op(Opcode::kCollectivePermute, {x}, permute_by({}))), "f32[4] {0, 0, 0, 0}");
  EXPECT_EQ(text_of(run_op(Opcode::kReplicaId, {}, nullptr)), "u32[] 0");
  EXPECT_EQ(text_of(run_op(Opcode::kPartitionId, {}, nullptr)), "u32[] 0");
}

TEST(Alone, WhatNeedsOthersIsRefused) {
  const Literal x = Literal::array<float>({4}, {1, 2, 3, 4});
  EXPECT_EQ(text_of(run_op(Opcode::kAllReduce, {x}, sum_over({{0, 1}}))),
            "INVALID_ARGUMENT: all-reduce 'op': replica_groups: 1 is out of range; the program runs on 1 replica");
  EXPECT_EQ(text_of(run_op(Opcode::kCollectivePermute, {x}, permute_by({{0, 1}}))),
            "INVALID_ARGUMENT: collective-permute 'op': source_target_pairs: 1 is out of range; the program runs on 1 "
            "replica");
  EXPECT_EQ(text_of(run_op(Opcode::kAllGather, {x}, gather_over({}, {0}), Shape::array(ElementType::kF32, {8}))),
            "INVALID_ARGUMENT: all-gather 'op': 1 replicas take part; got f32[4] and the result f32[8]; wanted one "
            "shard per replica");
}

TEST(Hook, GetsEveryCollectiveAndReplicaId) {
  const ComputationPtr main = *computation_of(Opcode::kReplicaId, {}, nullptr);
  EvaluateOptions options;
  options.collective = [](const Instruction& i, std::span<const Literal* const>) -> StatusOr<Literal> {
    EXPECT_EQ(i.opcode, Opcode::kReplicaId);
    return Literal::scalar<uint32_t>(7);
  };
  EXPECT_EQ(text_of(evaluate(*main, {}, options)), "u32[] 7");
}

}  // namespace
}  // namespace hilo::hlo
