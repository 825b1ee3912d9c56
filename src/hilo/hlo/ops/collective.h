// SPDX-License-Identifier: Apache-2.0
// hlo/ops/collective.h -- ops in which replicas meet: all-reduce, reduce-scatter, all-gather, all-to-all,
// collective-permute, collective-broadcast; and replica-id, partition-id.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// What most collectives share. There is one partition, so a group is a list of replicas.
struct CollectiveAttributes : Attributes {
  int64_t channel_id = 0;     ///< 0: none
  Int64Lists replica_groups;  ///< who meets whom, in the order of results; empty: all replicas, in order
  bool constrain_layout = false;
  bool use_global_device_ids = false;  ///< groups count devices, not replicas: the same with one partition
};

/// Operands are reduced each by itself, element by element, in the order of the group: ((x0 + x1) + x2) + ...
struct AllReduceAttributes : CollectiveAttributes {
  using Base = CollectiveAttributes;
  ComputationPtr to_apply;
};

/// As all-reduce, then member i of the group keeps slice i along the dimension.
struct ReduceScatterAttributes : CollectiveAttributes {
  using Base = CollectiveAttributes;
  Int64List dimensions;  ///< exactly one
  ComputationPtr to_apply;
  int64_t dimension() const { return dimensions[0]; }  ///< precondition: checked by the shape rule
};

/// Operands of the group, joined along the dimension in the group's order.
struct AllGatherAttributes : CollectiveAttributes {
  using Base = CollectiveAttributes;
  Int64List dimensions;  ///< exactly one
  int64_t dimension() const { return dimensions[0]; }
};

/// With a dimension: the operand is cut along it, member i of the group gets slice i of all, joined along it. Without:
/// one operand a member of the group; operand i goes to member i.
struct AllToAllAttributes : CollectiveAttributes {
  using Base = CollectiveAttributes;
  Int64List dimensions;  ///< none or one
};

/// Who isn't a target gets zeros.
struct CollectivePermuteAttributes : Attributes {
  int64_t channel_id = 0;
  Int64Pairs source_target_pairs;
};

const OpDef& all_reduce_op();
const OpDef& reduce_scatter_op();
const OpDef& all_gather_op();
const OpDef& all_to_all_op();
const OpDef& collective_permute_op();
/// The first of each group sends; who is in no group gets zeros. CollectiveAttributes.
const OpDef& collective_broadcast_op();
const OpDef& replica_id_op();
const OpDef& partition_id_op();

/// Do replicas meet in this op?
bool is_collective(Opcode opcode);

/// The replicas that meet `replica` in a collective other than collective-permute, in order; empty if it takes no part.
/// Errors    INVALID_ARGUMENT if the groups don't fit a program of `replica_count` replicas
StatusOr<Int64List> group_of(const Instruction& collective, int64_t replica, int64_t replica_count);

/// Whether the shapes are those of a meeting of `members` replicas, which only matters where replica_groups={} leaves their
/// number open.
/// Errors    INVALID_ARGUMENT
Status check_members(const Instruction& collective, std::span<const Shape> operands, int64_t members);

/// Whom `replica` sends to and receives from; -1: nobody.
struct PermutePartners {
  int64_t target = -1, source = -1;
};
StatusOr<PermutePartners> permute_partners(const Instruction& permute, int64_t replica, int64_t replica_count);

/// Do the ids of this collective count partitions, of which there is one, so that every replica stays alone?
bool stays_in_replica(const Instruction& collective);

}  // namespace hilo::hlo
