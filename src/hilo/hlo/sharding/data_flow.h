// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/data_flow.h -- a program as arrays and the sharding rules between them. Calls are inlined, tuples are
// split into leaves, and loops and branches become edges.
#pragma once

#include <map>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/sharding/rule.h"

namespace hilo::hlo {

using FlowArrayId = uint32_t;
inline constexpr FlowArrayId kNoFlowArray = ~FlowArrayId{0};

struct FlowArray {
  Shape shape;
  bool constant = false;     ///< computed from constants alone; each user has its own copy
  int64_t uses = 0;          ///< number of ops that read it
  int64_t manual_depth = 0;  ///< nesting depth of manual computations; above 0 each device has its own value
  /// Atoms of the mesh that those computations use manually. No dimension may be split along them.
  std::vector<uint16_t> manual = {};
};

/// Determines in which rounds and directions shardings propagate through an op.
enum class FlowKind : uint8_t { kElementwise, kPassing, kDynamicSlice, kBroadcast, kOther };

struct FlowOp {
  ShardingRule rule;
  const Instruction* query = nullptr;          ///< a custom call that PropagationRequest::query handles
  std::vector<Shape> operand_shapes = {};      ///< operand shapes, if `query` isn't null
  std::vector<FlowArrayId> operands, results;  ///< kNoFlowArray: constant
  FlowKind kind = FlowKind::kOther;
};

/// A computation at one call site of the program.
struct FlowFrame {
  const Computation* computation = nullptr;
  std::vector<std::vector<FlowArrayId>> values;  ///< by instruction, its leaves
  /// By instruction, the frames that it opens: for a loop its body, then its condition; for a conditional its branches.
  std::map<InstructionId, std::vector<uint32_t>> opened;
};

struct DataFlow {
  std::vector<FlowArray> arrays;
  std::vector<FlowOp> ops;                       ///< in execution order
  std::vector<FlowArrayId> parameters, results;  ///< leaves of the entry; results are separate arrays
  /// The results of an instruction that states their shardings.
  struct Stated {
    const Instruction* instruction;
    std::vector<FlowArrayId> arrays;
  };
  std::vector<Stated> stated;
  std::vector<FlowFrame> frames;  ///< the entry first
};

/// Sharding facts that instructions state in their frontend attributes.
struct FlowHints {
  std::map<const Instruction*, ShardingRule> rules;  ///< replace the rules of their ops
  bool queries_calls = false;                        ///< whether custom calls without such a rule get FlowOp::query
};

/// Returns the data flow of a program.
/// Cost      linear in the instructions, counting a computation once per call. Calls stay closed if opening them would
/// multiply the module's size by more than 64.
DataFlow data_flow(const Module& module, const FlowHints& hints = {});

}  // namespace hilo::hlo
