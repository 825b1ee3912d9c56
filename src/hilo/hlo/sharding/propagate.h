// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/propagate.h -- the shardings of a program's parameters and results, from those that it states.
#pragma once

#include <functional>
#include <optional>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/sharding/data_flow.h"
#include "hilo/hlo/sharding/mesh_atoms.h"
#include "hilo/hlo/sharding/sharding.h"

namespace hilo::hlo {

/// Where a computation by hand (Shardy's manual_computation) begins or ends: an instruction that cuts a whole array into the
/// devices' own parts, or the last of those that join them to one.
struct ManualEdge {
  bool enters = false;
  int64_t joins = 0;  ///< of an end: so many instructions join the parts, one behind the other
  Sharding sharding;  ///< by what is cut by hand; no dimensions: by nothing
  std::optional<std::vector<AxisReference>> others = {};  ///< axes taken by hand that cut nothing; nothing: all
};

/// What is known, and what may be chosen. Lists go leaf by leaf through the entry's parameters and result.
struct PropagationRequest {
  Mesh mesh;  ///< of all shardings here
  std::vector<std::optional<Sharding>> parameters, results;
  /// Whether one without a sharding may get one; it is whole on every device otherwise.
  std::vector<bool> free_parameters, free_results;
  /// What an instruction with frontend attributes states of its results, one a leaf; nothing: none.
  std::function<StatusOr<std::vector<Sharding>>(const Instruction&)> stated;
  /// Whether an instruction with frontend attributes is such an edge; null: the program has none.
  std::function<StatusOr<std::optional<ManualEdge>>(const Instruction&)> manual = nullptr;
  /// The rule of an instruction with frontend attributes, in place of its op's; nothing: its op's. Null: none has one.
  std::function<StatusOr<std::optional<ShardingRule>>(const Instruction&, const std::vector<Shape>& operands)> rule =
      nullptr;
  /// The group of an instruction with frontend attributes, whose results are shared as those of all others of the group are;
  /// nothing: none. Null: there are no groups.
  std::function<std::optional<int64_t>(const Instruction&)> group = nullptr;
  /// Who says for a custom call with frontend attributes what its results are, as far as it is known how its operands and
  /// results are shared; an empty list: nothing. Null: nobody.
  std::function<StatusOr<std::vector<Sharding>>(const Instruction&, const std::vector<Shape>& operand_shapes,
                                                const std::vector<Sharding>& operands,
                                                const std::vector<Sharding>& results)>
      asked = nullptr;
};

/// The sharding of a result of an instruction with frontend attributes.
struct NotedSharding {
  std::string frontend_attributes;
  Shape shape;
  Sharding sharding;
  bool by_hand = false;  ///< each device has an array of its own
};

struct PropagatedShardings {
  std::vector<Sharding> parameters, results;  ///< of whole axes that divide their dimensions
  std::vector<NotedSharding> noted;           ///< as the program runs
};

/// Shardings go through ops, loops, branches and calls, forwards and backwards, until nothing changes: by the user's
/// priorities, then elementwise ops before others, then along what needs no communication. Where two disagree each array
/// keeps what it has, and the larger array's wins in a third. Groups go as elementwise ops do.
/// Errors    INVALID_ARGUMENT for shardings of other ranks and meshes; those of `stated`
/// Cost      of a sweep: linear in instructions, where calls are opened; sweeps are few
/// Source    Shardy's propagation
StatusOr<PropagatedShardings> propagate_shardings(const Module& module, const PropagationRequest& request);

/// The program taken apart, and how the devices share each of its arrays: into parts of one size.
struct PropagatedFlow {
  DataFlow flow;
  std::vector<ArraySplit> splits;  ///< by array of the flow
};

/// The same, of all arrays.
StatusOr<PropagatedFlow> propagate_flow(const Module& module, const PropagationRequest& request);

/// propagate_flow() of a program whose computations by hand are calls (by_hand.h), where the partitioner takes them.
struct PropagatedProgram {
  Module module;
  PropagatedFlow propagated;
};
StatusOr<PropagatedProgram> propagate_program(const Module& module, const PropagationRequest& request);

/// By whole axes.
Sharding sharding_of(const ArraySplit& split, const Mesh& mesh, const MeshAtoms& atoms);

}  // namespace hilo::hlo
