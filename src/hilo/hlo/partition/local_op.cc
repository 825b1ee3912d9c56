// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/local_op.h"

#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

using Ways = std::vector<LocalWay>;

bool has_factor(const ArrayFactors& array, size_t factor) {
  return std::ranges::any_of(array, [&](const std::vector<int>& factors) {
    return std::ranges::find(factors, static_cast<int>(factor)) != factors.end();
  });
}

bool any_has(const std::vector<ArrayFactors>& arrays, size_t factor) {
  return std::ranges::any_of(arrays, [&](const ArrayFactors& array) { return has_factor(array, factor); });
}

Ways whole(const ShardingRule& rule) { return Ways(rule.factors.size(), LocalWay::kWhole); }

/// Factors that pass, from an operand to a result.
Ways passing(const ShardingRule& rule) {
  Ways ways = whole(rule);
  for (size_t f = 0; f < ways.size(); ++f) {
    if (rule.factors[f].kind == FactorKind::kPass && any_has(rule.operands, f) && any_has(rule.results, f))
      ways[f] = LocalWay::kPart;
  }
  return ways;
}

/// Those that this operand has too.
Ways passing_through(const ShardingRule& rule, size_t operand) {
  Ways ways = passing(rule);
  for (size_t f = 0; f < ways.size(); ++f) {
    if (!has_factor(rule.operands[operand], f)) ways[f] = LocalWay::kWhole;
  }
  return ways;
}

/// A new dimension has the same everywhere.
Ways broadcasting(const ShardingRule& rule) { return Ways(rule.factors.size(), LocalWay::kPart); }

Ways summing(const ShardingRule& rule, bool adds_up) {
  Ways ways = passing(rule);
  for (size_t f = 0; f < ways.size(); ++f) {
    if (adds_up && rule.factors[f].kind == FactorKind::kReduction) ways[f] = LocalWay::kPartial;
  }
  return ways;
}

Ways reducing(const Instruction& instruction, const ShardingRule& rule) {
  const ReducerKind kind = attributes_of<ReduceAttributes>(instruction).to_apply->reducer_kind();
  const bool chooses = kind == ReducerKind::kArgMax || kind == ReducerKind::kArgMin;
  const bool named = rule.operands.size() == 2 && neutral_value(kind, instruction.shape.element_type()).has_value();
  return summing(rule, chooses || named);
}

Ways multiplying(const Instruction& instruction, const ShardingRule& rule) {
  return summing(rule, instruction.shape.element_type() != ElementType::kPred);
}

/// Groups say how the features of operands belong together, which parts would have to say anew.
Ways convolving(const Instruction& instruction, const ShardingRule& rule) {
  const auto& convolution = attributes_of<ConvolutionAttributes>(instruction);
  Ways ways = multiplying(instruction, rule);
  if (convolution.batch_group_count > 1) return whole(rule);
  for (size_t f = 0; f < ways.size(); ++f) {
    const bool batch = has_factor({rule.operands[0][static_cast<size_t>(convolution.dimensions.input_batch)]}, f);
    if (convolution.feature_group_count > 1 && !batch) ways[f] = LocalWay::kWhole;
  }
  return ways;
}

Ways slicing(const Instruction& instruction, const ShardingRule& rule, const Shape& from) {
  Ways ways = passing(rule);
  const auto& ranges = attributes_of<SliceAttributes>(instruction).ranges;
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (ranges[d] != SliceRange{0, from.dimension(static_cast<int64_t>(d)), 1})
      ways[static_cast<size_t>(rule.operands[0][d][0])] = LocalWay::kWhole;
  }
  return ways;
}

Ways padding(const Instruction& instruction, const ShardingRule& rule) {
  Ways ways = passing(rule);
  const auto& dimensions = attributes_of<PadAttributes>(instruction).padding;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] != PaddingDimension{}) ways[static_cast<size_t>(rule.operands[0][d][0])] = LocalWay::kWhole;
  }
  return ways;
}

/// hilo's own ops. A switch over places in their list, so that a new one doesn't compile without saying what it does.
Ways extension_ways(const Instruction& instruction, const ShardingRule& rule) {
  const auto position = static_cast<int>(instruction.opcode) - kHloOpcodeCount;
  switch (static_cast<extensions::Position>(position)) {
    case extensions::kStopGradient:
    case extensions::kFma:
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, ...) case extensions::k##enumerator:
#include "hilo/hlo/ops/extensions.inc"
    case extensions::kCumsum:
    case extensions::kCumprod:
    case extensions::kCummax:
    case extensions::kCummin:
    case extensions::kCumlogsumexp:
    case extensions::kSelectAndGatherAdd:
    case extensions::kLu:
    case extensions::kGeqrf:
    case extensions::kGeqp3:
    case extensions::kHouseholderProduct:
    case extensions::kOrmqr:
    case extensions::kQr:
    case extensions::kEigh:
    case extensions::kTridiagonal:
    case extensions::kSvd:
    case extensions::kEig:
    case extensions::kSchur:
    case extensions::kHessenberg: return passing(rule);
    case extensions::kScan:  // opened, or closed and whole
    case extensions::kCustomVjp:
    case extensions::kCustomRules:
    case extensions::kCustomVjpTangent:
    case extensions::kPsum:  // gone before a program runs
    case extensions::kPmax:
    case extensions::kPmin:
    case extensions::kPpermute:
    case extensions::kAllGather:
    case extensions::kAxisIndex:
    case extensions::kCount: return whole(rule);
  }
  return whole(rule);
}

Ways ways_of(const Instruction& instruction, const ShardingRule& rule, const Computation& computation) {
  if (is_extension(instruction.opcode)) return extension_ways(instruction, rule);
  switch (instruction.opcode) {
#define HILO_ELEMENTWISE(enumerator, ...) case Opcode::k##enumerator:
#include "hilo/hlo/ops/elementwise.inc"
#undef HILO_ELEMENTWISE
    case Opcode::kMap:
    case Opcode::kStochasticConvert:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kBitcastConvert:
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kSort:
    case Opcode::kTopK:
    case Opcode::kFft:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining: return passing(rule);
    case Opcode::kBroadcast: return broadcasting(rule);
    case Opcode::kDot: return multiplying(instruction, rule);
    case Opcode::kConvolution: return convolving(instruction, rule);
    case Opcode::kReduce: return reducing(instruction, rule);
    case Opcode::kSlice: return slicing(instruction, rule, computation.instruction(instruction.operands[0]).shape);
    case Opcode::kPad: return padding(instruction, rule);
    case Opcode::kDynamicUpdateSlice: return passing_through(rule, 1);
    case Opcode::kScatter: return passing_through(rule, rule.results.size() + 1);
    case Opcode::kCustomCall:        // what it is told may be of sizes
    case Opcode::kRngBitGenerator:   // the same bits as on one device
    case Opcode::kBitcast:           // of layouts
    case Opcode::kSetDimensionSize:  // sizes of the run
    case Opcode::kGetDimensionSize:
    case Opcode::kDynamicReshape:
    case Opcode::kConstant:  // cut where it is used
    case Opcode::kIota:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
    case Opcode::kShuffle:
    case Opcode::kAddDependency:  // data flow
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kDomain:
    case Opcode::kFusion:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter:
    case Opcode::kScan:
    case Opcode::kTuple:
    case Opcode::kWhile:
    case Opcode::kAfterAll:
    case Opcode::kAsyncDone:  // pairs
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kAllReduce:  // refused before
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectiveReduce:
    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllToAll:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone: return whole(rule);
  }
  return whole(rule);
}

/// Parts of lists of sizes: a size that is the whole dimension becomes the part's.
Int64List part_sizes(const Int64List& sizes, const Shape& whole, const Shape& part) {
  Int64List made = sizes;
  for (size_t d = 0; d < made.size(); ++d) {
    const auto place = static_cast<int64_t>(d);
    if (whole.dimension(place) != part.dimension(place)) made[d] = part.dimension(place);
  }
  return made;
}

}  // namespace

LocalOp local_op(const Instruction& instruction, const Computation& computation) {
  ShardingRule rule = sharding_rule(instruction, computation);
  Ways ways = ways_of(instruction, rule, computation);
  return {std::move(rule), std::move(ways)};
}

AttributesPtr local_attributes(const Instruction& instruction, const Shape& whole, const Shape& part,
                               const Shape& result) {
  if (instruction.opcode == Opcode::kSlice) {
    auto made = std::make_shared<SliceAttributes>(attributes_of<SliceAttributes>(instruction));
    for (size_t d = 0; d < made->ranges.size(); ++d) {
      const auto place = static_cast<int64_t>(d);
      if (whole.dimension(place) != part.dimension(place)) made->ranges[d].limit = part.dimension(place);
    }
    return made;
  }
  if (instruction.opcode == Opcode::kDynamicSlice) {
    auto made = std::make_shared<DynamicSliceAttributes>();
    made->sizes.assign(result.dimensions().begin(), result.dimensions().end());
    return made;
  }
  if (instruction.opcode == Opcode::kGather) {
    auto made = std::make_shared<GatherAttributes>(attributes_of<GatherAttributes>(instruction));
    const Int64List sizes = part_sizes(made->slice_sizes, whole, part);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (std::ranges::find(made->operand_batching_dims, static_cast<int64_t>(d)) == made->operand_batching_dims.end())
        made->slice_sizes[d] = sizes[d];
    }
    return made;
  }
  return instruction.attributes;
}

namespace {

std::string_view why_not(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (is_collective(opcode) || opcode == Opcode::kReplicaId || opcode == Opcode::kPartitionId)
    return "the program already says what each device does";
  if (opcode == Opcode::kRng || opcode == Opcode::kRngGetAndUpdateState)
    return "its numbers would differ from device to device";
  if (opcode == Opcode::kCustomCall) {
    const auto options = custom_call_options(attributes_of<CustomCallAttributes>(instruction));
    return options.ok() && !options->has_side_effect ? "" : "every device would do what it does";
  }
  const bool transfers =
      opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed || opcode == Opcode::kSend || opcode == Opcode::kRecv;
  return transfers ? "every device would do what it does" : "";
}

}  // namespace

Status check_partitionable(const Module& module) {
  for (const ComputationPtr& computation : computations_of(module)) {
    for (const Instruction& instruction : computation->instructions()) {
      const std::string_view why = why_not(instruction);
      if (!why.empty()) return unimplemented(describe(instruction) + " can't be partitioned: " + std::string(why));
    }
  }
  return ok_status();
}

}  // namespace hilo::hlo
