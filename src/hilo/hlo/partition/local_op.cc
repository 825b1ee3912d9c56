// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/local_op.h"

#include <algorithm>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

/// Returns `sizes` where each size of a whole dimension is replaced by that of the shard.
Int64List part_sizes(const Int64List& sizes, const Shape& whole, const Shape& part) {
  Int64List result = sizes;
  for (size_t d = 0; d < result.size(); ++d) {
    if (result[d] == whole.dimension(d)) result[d] = part.dimension(d);
  }
  return result;
}

}  // namespace

std::optional<Cumulative> cumulative_of(const Instruction& instruction, const Computation& computation) {
  if (instruction.opcode == Opcode::kReduceWindow)
    return cumulative_of(attributes_of<ReduceWindowAttributes>(instruction).window,
                         computation.instruction(instruction.operands[0]).shape.dimensions());
  if (!cumulative_kind(instruction.opcode)) return std::nullopt;
  const auto& a = attributes_of<CumulativeAttributes>(instruction);
  return Cumulative{a.axis, a.reverse};
}

ReducerKind running_kind(const Instruction& instruction) {
  if (const auto kind = cumulative_kind(instruction.opcode)) return *kind;
  return attributes_of<ReduceWindowAttributes>(instruction).to_apply->reducer_kind();
}

LocalOp local_op(const Instruction& instruction, const Computation& computation) {
  LocalBuilder builder{instruction, computation, {sharding_rule(instruction, computation), {}, {}}};
  builder.op.strategies.assign(builder.op.rule.factors.size(), LocalStrategy::kWhole);
  for (const Factor& factor : builder.op.rule.factors) builder.op.sizes.push_back(factor.size);
  op_def(instruction.opcode).sharding.strategies(builder);
  return std::move(builder.op);
}

AttributesPtr local_attributes(const Instruction& instruction, const Shape& whole, const Shape& part,
                               const Shape& result) {
  if (instruction.opcode == Opcode::kSlice) {
    auto computed = std::make_shared<SliceAttributes>(attributes_of<SliceAttributes>(instruction));
    for (size_t d = 0; d < computed->ranges.size(); ++d) {
      if (whole.dimension(d) != part.dimension(d)) computed->ranges[d].limit = part.dimension(d);
    }
    return computed;
  }
  if (instruction.opcode == Opcode::kDynamicSlice) {
    auto computed = std::make_shared<DynamicSliceAttributes>();
    computed->sizes.assign(result.dimensions().begin(), result.dimensions().end());
    return computed;
  }
  if (instruction.opcode == Opcode::kGather) {
    auto computed = std::make_shared<GatherAttributes>(attributes_of<GatherAttributes>(instruction));
    const Int64List sizes = part_sizes(computed->slice_sizes, whole, part);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (std::ranges::find(computed->operand_batching_dims, d) == computed->operand_batching_dims.end())
        computed->slice_sizes[d] = sizes[d];
    }
    return computed;
  }
  return instruction.attributes;
}

namespace {

bool is_device_op(Opcode opcode) {
  return is_collective(opcode) || opcode == Opcode::kReplicaId || opcode == Opcode::kPartitionId;
}

std::string_view why_not(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (is_device_op(opcode)) return "the program already contains per-device code";
  if (opcode == Opcode::kRng || opcode == Opcode::kRngGetAndUpdateState)
    return "its random numbers would differ between devices";
  if (opcode == Opcode::kCustomCall && !is_per_device_call(instruction)) {
    const auto options = custom_call_options(attributes_of<CustomCallAttributes>(instruction));
    return options.ok() && !options->has_side_effect ? "" : "every device would repeat its effect";
  }
  const bool transfers =
      opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed || opcode == Opcode::kSend || opcode == Opcode::kRecv;
  return transfers ? "every device would repeat its effect" : "";
}

}  // namespace

bool is_per_device_call(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kCustomCall || !instruction.shape.leaves().empty()) return false;
  const std::string target = custom_call_target(attributes_of<CustomCallAttributes>(instruction));
  return target == "xla_ffi_partitioned_python_cpu_callback" || target == "dce_sink";
}

Status check_partitionable(const Module& module, bool has_manual) {
  for (const ComputationPtr& computation : computations_of(module)) {
    for (const Instruction& instruction : computation->instructions()) {
      const std::string_view why = has_manual && is_device_op(instruction.opcode) ? "" : why_not(instruction);
      if (!why.empty()) return unimplemented(describe(instruction) + " can't be partitioned: " + std::string(why));
    }
  }
  return ok_status();
}

}  // namespace hilo::hlo
