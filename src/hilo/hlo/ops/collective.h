// SPDX-License-Identifier: Apache-2.0
// hlo/ops/collective.h -- collectives: all-reduce, reduce-scatter, all-gather, all-to-all, collective-permute,
// collective-broadcast; and replica-id, partition-id.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Attributes that most collectives have. There is only one partition, so a group is a list of replicas.
struct CollectiveAttributes : Attributes {
  int64_t channel_id = 0;     ///< 0: none
  Int64Lists replica_groups;  ///< groups of replicas, in the order of results; empty: one group of all replicas
  bool constrain_layout = false;
  bool use_global_device_ids = false;  ///< ids are those of devices; equal to replica ids, since there is one partition
};

/// Each operand is reduced separately, elementwise, in the order of the group: ((x0 + x1) + x2) + ...
struct AllReduceAttributes : CollectiveAttributes {
  using Base = CollectiveAttributes;
  ComputationPtr to_apply;
};

/// As all-reduce; then member i of the group keeps slice i along the dimension.
struct ReduceScatterAttributes : CollectiveAttributes {
  using Base = CollectiveAttributes;
  Int64List dimensions;  ///< exactly one
  ComputationPtr to_apply;
  int64_t dimension() const { return dimensions[0]; }  ///< Precondition: checked by the shape rule.
};

/// Concatenates the operands of the group along the dimension, in the group's order.
struct AllGatherAttributes : CollectiveAttributes {
  using Base = CollectiveAttributes;
  Int64List dimensions;  ///< exactly one
  int64_t dimension() const { return dimensions[0]; }
};

/// With a dimension: each operand is split along it, and member i of the group receives slice i of all, concatenated.
/// Without a dimension: each member has one operand per member, and operand i is sent to member i.
struct AllToAllAttributes : CollectiveAttributes {
  using Base = CollectiveAttributes;
  Int64List dimensions;  ///< none or one
};

/// Replicas that aren't a target receive zeros.
struct CollectivePermuteAttributes : Attributes {
  int64_t channel_id = 0;
  Int64Pairs source_target_pairs;
};

const OpDef& all_reduce_op();
const OpDef& all_gather_op();
const OpDef& collective_permute_op();

/// Returns whether the op is a collective.
bool is_collective(Opcode opcode);

/// Returns whether the op's result may differ between replicas with the same operands: a collective or a replica-id.
bool differs_between_replicas(Opcode opcode);

/// Returns the group of `replica` in a collective other than collective-permute, in order; empty if the replica is in
/// none.
/// Errors    INVALID_ARGUMENT if the groups don't fit a program of `replica_count` replicas
StatusOr<Int64List> group_of(const Instruction& collective, int64_t replica, int64_t replica_count);

/// Checks that the shapes are those of a collective of `members` replicas. This matters only if replica_groups={}
/// leaves their number open.
/// Errors    INVALID_ARGUMENT
Status check_members(const Instruction& collective, std::span<const Shape> operands, int64_t members);

/// The replicas that `replica` sends to and receives from; -1: none.
struct PermutePartners {
  int64_t target = -1, source = -1;
};
StatusOr<PermutePartners> permute_partners(const Instruction& permute, int64_t replica, int64_t replica_count);

/// Returns whether the ids of this collective are partitions. There is one partition, so every replica then forms its
/// own group.
bool stays_in_replica(const Instruction& collective);

}  // namespace hilo::hlo
