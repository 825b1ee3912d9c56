// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/data_flow.h -- a program as arrays and the rules between them: calls opened, tuples taken apart, loops and
// branches as edges.
#pragma once

#include <map>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/sharding/rule.h"

namespace hilo::hlo {

using FlowArrayId = uint32_t;
inline constexpr FlowArrayId kNoFlowArray = ~FlowArrayId{0};

struct FlowArray {
  Shape shape;
  bool constant = false;              ///< of constants alone: each user has its own, so that none shards another's
  int64_t uses = 0;                   ///< ops that read it
  int64_t by_hand = 0;                ///< in so many computations by hand: devices have values of their own
  std::vector<uint16_t> manual = {};  ///< atoms of the mesh that those computations take: no dimension may have them
};

/// In which rounds shardings go through an op, and which way.
enum class FlowKind : uint8_t { kElementwise, kPassing, kDynamicSlice, kBroadcast, kOther };

struct FlowOp {
  ShardingRule rule;
  const Instruction* asks = nullptr;       ///< a custom call whose results somebody else knows; its rule says nothing
  std::vector<Shape> operand_shapes = {};  ///< of one that asks
  std::vector<FlowArrayId> operands, results;  ///< kNoFlowArray: constant
  FlowKind kind = FlowKind::kOther;
};

/// A computation, opened at one place of the program.
struct FlowFrame {
  const Computation* computation = nullptr;
  std::vector<std::vector<FlowArrayId>> values;  ///< leaves of each instruction
  /// By instruction, the frames that it opens: of a loop its body, then its condition; of a conditional its branches.
  std::map<InstructionId, std::vector<uint32_t>> opened;
};

struct DataFlow {
  std::vector<FlowArray> arrays;
  std::vector<FlowOp> ops;                       ///< as the program runs
  std::vector<FlowArrayId> parameters, results;  ///< of the entry, leaf by leaf; results are arrays of their own
  /// Results of instructions that say something of their sharding.
  struct Stated {
    const Instruction* instruction;
    std::vector<FlowArrayId> arrays;
  };
  std::vector<Stated> stated;
  std::vector<FlowFrame> frames;  ///< the entry first
};

/// What instructions with frontend attributes say of themselves.
struct FlowHints {
  std::map<const Instruction*, ShardingRule> rules;  ///< in place of those of their ops
  bool asks = false;                                 ///< custom calls without such a rule are ops that ask
};

/// Cost    linear in instructions, those of a computation once a call; calls that would make it 64 times the module stay closed
DataFlow data_flow(const Module& module, const FlowHints& hints = {});

}  // namespace hilo::hlo
