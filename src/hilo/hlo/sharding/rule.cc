// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/rule.h"

#include <fmt/format.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {
namespace {

ShardingRule collective_rule(const Instruction& instruction, RuleBuilder builder) {
  if (instruction.opcode == Opcode::kAllGather)
    return moving_rule(attributes_of<AllGatherAttributes>(instruction).dimensions, std::move(builder));
  if (instruction.opcode == Opcode::kReduceScatter)
    return moving_rule(attributes_of<ReduceScatterAttributes>(instruction).dimensions, std::move(builder));
  return moving_rule(attributes_of<AllToAllAttributes>(instruction).dimensions, std::move(builder));
}

/// hilo's own ops. A switch over places in their list, so that a new one doesn't compile without a rule.
ShardingRule extension_rule(const Instruction& instruction, RuleBuilder builder) {
  const auto position = static_cast<int>(instruction.opcode) - kHloOpcodeCount;
  switch (static_cast<extensions::Position>(position)) {
    case extensions::kStopGradient:
    case extensions::kPsum:
    case extensions::kPmax:
    case extensions::kPmin:
    case extensions::kPpermute:
    case extensions::kFma:
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, ...) case extensions::k##enumerator:
#include "hilo/hlo/ir/extensions.inc"
      return pointwise_rule(std::move(builder));
    case extensions::kCumsum:
    case extensions::kCumprod:
    case extensions::kCummax:
    case extensions::kCummin:
    case extensions::kCumlogsumexp: return cumulative_rule(instruction, std::move(builder));
    case extensions::kSelectAndGatherAdd: return select_and_gather_add_rule(instruction, std::move(builder));
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
    case extensions::kHessenberg: return matrix_rule(std::move(builder));
    case extensions::kScan:  // data flow
    case extensions::kCustomVjp:
    case extensions::kCustomRules:
    case extensions::kCustomVjpTangent:  // can't run
    case extensions::kAllGather:         // a batch that is mapped by hand
    case extensions::kPsumScatter:
    case extensions::kAllToAll:
    case extensions::kAxisIndex:
    case extensions::kCount: return std::move(builder.rule);
  }
  return std::move(builder.rule);
}

std::string letter(size_t factor) {
  return factor < 18 ? std::string(1, static_cast<char>('i' + factor)) : fmt::format("z_{}", factor - 17);
}

std::string arrays_text(const std::vector<ArrayFactors>& arrays) {
  std::string text = "(";
  for (const ArrayFactors& array : arrays) {
    text += text == "(" ? "[" : ",[";
    for (size_t d = 0; d < array.size(); ++d) {
      if (d != 0) text += ',';
      if (array[d].empty()) text += '.';
      for (const int factor : array[d]) text += letter(static_cast<size_t>(factor));
    }
    text += ']';
  }
  return text + ")";
}

void append_kind(const ShardingRule& rule, std::string_view name, FactorKind kind, std::string& text) {
  std::string letters;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    if (rule.factors[f].kind == kind) letters += (letters.empty() ? "" : ",") + letter(f);
  }
  if (!letters.empty()) text += fmt::format(" {}={{{}}}", name, letters);
}

}  // namespace

ShardingRule sharding_rule(const Instruction& instruction, const Computation& computation) {
  RuleBuilder builder(instruction, computation);
  if (is_extension(instruction.opcode)) return extension_rule(instruction, std::move(builder));
  switch (instruction.opcode) {
#define HILO_ELEMENTWISE(enumerator, ...) case Opcode::k##enumerator:
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
    case Opcode::kMap:
    case Opcode::kStochasticConvert:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kBitcast:
    case Opcode::kSetDimensionSize: return pointwise_rule(std::move(builder));
    case Opcode::kBroadcast: return broadcast_rule(instruction, std::move(builder));
    case Opcode::kReshape: return reshape_rule(std::move(builder));
    case Opcode::kTranspose: return transpose_rule(instruction, std::move(builder));
    case Opcode::kReverse: return reverse_rule(instruction, std::move(builder));
    case Opcode::kBitcastConvert: return bitcast_convert_rule(std::move(builder));
    case Opcode::kDot: return dot_rule(instruction, std::move(builder));
    case Opcode::kConvolution: return convolution_rule(instruction, std::move(builder));
    case Opcode::kReduce: return reduce_rule(instruction, std::move(builder));
    case Opcode::kReduceWindow: return reduce_window_rule(instruction, std::move(builder));
    case Opcode::kSelectAndScatter: return select_and_scatter_rule(instruction, std::move(builder));
    case Opcode::kSlice:
    case Opcode::kPad: return resize_rule(std::move(builder));
    case Opcode::kConcatenate: return concatenate_rule(instruction, std::move(builder));
    case Opcode::kDynamicSlice: return dynamic_slice_rule(std::move(builder));
    case Opcode::kDynamicUpdateSlice: return dynamic_update_slice_rule(std::move(builder));
    case Opcode::kGather: return gather_rule(instruction, std::move(builder));
    case Opcode::kScatter: return scatter_rule(instruction, std::move(builder));
    case Opcode::kSort: return sort_rule(instruction, std::move(builder));
    case Opcode::kTopK: return top_k_rule(std::move(builder));
    case Opcode::kFft: return fft_rule(instruction, std::move(builder));
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve: return matrix_rule(std::move(builder));
    case Opcode::kCustomCall: return custom_call_rule(instruction, std::move(builder));
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining: return batch_norm_rule(instruction, std::move(builder));
    case Opcode::kRngBitGenerator: return rng_bit_generator_rule(std::move(builder));
    case Opcode::kAllGather:
    case Opcode::kAllToAll:
    case Opcode::kReduceScatter: return collective_rule(instruction, std::move(builder));
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
    case Opcode::kConstant:  // no operands to go by
    case Opcode::kIota:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kAfterAll:  // one device
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kDynamicReshape:  // sizes of the run
    case Opcode::kGetDimensionSize:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
    case Opcode::kShuffle:
    case Opcode::kCollectiveReduce:
    case Opcode::kAllGatherDone:  // results that are told apart from copies of the operands by their place alone
    case Opcode::kAllGatherStart:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart: return std::move(builder.rule);
  }
  return std::move(builder.rule);
}

std::string to_string(const ShardingRule& rule) {
  std::string text = arrays_text(rule.operands) + "->" + arrays_text(rule.results) + " {", blocked;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    text += fmt::format("{}{}={}", f == 0 ? "" : ", ", letter(f), rule.factors[f].size);
    if (rule.factors[f].blocked) blocked += (blocked.empty() ? "" : ",") + letter(f);
  }
  text += "}";
  append_kind(rule, "reduction", FactorKind::kReduction, text);
  append_kind(rule, "need_replication", FactorKind::kReplicate, text);
  append_kind(rule, "permutation", FactorKind::kPermute, text);
  if (!blocked.empty()) text += fmt::format(" blocked={{{}}}", blocked);
  return text;
}

}  // namespace hilo::hlo
