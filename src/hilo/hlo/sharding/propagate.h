// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/propagate.h -- infers the shardings of a program's arrays from those that it states.
#pragma once

#include <functional>
#include <optional>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/sharding/data_flow.h"
#include "hilo/hlo/sharding/mesh_atoms.h"
#include "hilo/hlo/sharding/sharding.h"

namespace hilo::hlo {

/// The beginning or end of a manual computation (Shardy's manual_computation). A beginning is the instruction that
/// splits a whole array into the devices' shards. An end is the last of the instructions that join the shards.
struct ManualEdge {
  bool enters = false;
  int64_t joins = 0;  ///< for an end: the number of chained instructions that join the shards
  Sharding sharding;  ///< how the array is split; without dimensions: not at all
  std::optional<std::vector<AxisReference>> others = {};  ///< manual axes that split nothing; nullopt: all axes
};

/// The stated shardings, and which shardings may be chosen. Lists contain one entry per leaf of the entry's parameters
/// or result.
struct PropagationRequest {
  Mesh mesh;  ///< mesh of all shardings here
  std::vector<std::optional<Sharding>> parameters, results;
  /// Whether an array without a stated sharding may get one. Otherwise it is replicated.
  std::vector<bool> free_parameters, free_results;
  /// Returns the shardings that an instruction with frontend attributes states for its results, one per leaf; an empty
  /// list if it states none.
  std::function<StatusOr<std::vector<Sharding>>(const Instruction&)> stated;
  /// Returns the edge if an instruction with frontend attributes is one. Null: the program has none.
  std::function<StatusOr<std::optional<ManualEdge>>(const Instruction&)> manual = nullptr;
  /// Returns the rule that replaces the rule of the instruction's op, for an instruction with frontend attributes;
  /// nothing if there is no replacement. Null: no instruction has one.
  std::function<StatusOr<std::optional<ShardingRule>>(const Instruction&, const std::vector<Shape>& operands)> rule =
      nullptr;
  /// Returns the group of an instruction with frontend attributes. All results in a group get the same sharding. Null:
  /// there are no groups.
  std::function<std::optional<int64_t>(const Instruction&)> group = nullptr;
  /// Returns the shardings of a custom call's results, from the currently known shardings of its operands and results.
  /// An empty list means unknown. Null: custom calls aren't queried.
  std::function<StatusOr<std::vector<Sharding>>(const Instruction&, const std::vector<Shape>& operand_shapes,
                                                const std::vector<Sharding>& operands,
                                                const std::vector<Sharding>& results)>
      query = nullptr;
};

/// The sharding of a result of an instruction with frontend attributes.
struct NotedSharding {
  std::string frontend_attributes;
  Shape shape;
  Sharding sharding;
  bool is_manual = false;  ///< each device has its own array
};

struct PropagatedShardings {
  std::vector<Sharding> parameters, results;  ///< only whole axes, which divide their dimensions
  std::vector<NotedSharding> noted;           ///< in execution order
};

/// Infers shardings. They propagate through ops, loops, branches and calls, forwards and backwards, until nothing
/// changes: first by the user's priorities, then elementwise ops before others, then along dimensions that need no
/// communication. If two arrays disagree, each keeps its own sharding, and the larger one's propagates to third arrays.
/// Groups are treated as elementwise ops.
/// Errors    INVALID_ARGUMENT for shardings of other ranks and meshes; those of `stated`
/// Cost      a few sweeps, each linear in the instructions with calls opened
/// Source    Shardy's propagation
StatusOr<PropagatedShardings> propagate_shardings(const Module& module, const PropagationRequest& request);

/// A program's data flow, and the sharding of each of its arrays into shards of equal size.
struct PropagatedFlow {
  DataFlow flow;
  std::vector<ArraySplit> splits;  ///< by array of the flow
};

/// As propagate_shardings(), but returns the shardings of all arrays.
StatusOr<PropagatedFlow> propagate_flow(const Module& module, const PropagationRequest& request);

/// As propagate_flow(), but first replaces the edges of manual computations by calls (manual.h) if the partitioner
/// supports the program.
struct PropagatedProgram {
  Module module;
  PropagatedFlow propagated;
};
StatusOr<PropagatedProgram> propagate_program(const Module& module, const PropagationRequest& request);

/// Converts a split to a sharding by whole axes.
Sharding sharding_of(const ArraySplit& split, const Mesh& mesh, const MeshAtoms& atoms);

}  // namespace hilo::hlo
