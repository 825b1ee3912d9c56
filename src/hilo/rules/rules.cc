// SPDX-License-Identifier: Apache-2.0
// rules/rules.cc -- the rules of every opcode; a missing one doesn't compile.
#include "hilo/hlo/ir/extensions.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/rules/families.h"
#include "hilo/rules/given.h"

namespace hilo {

using hlo::Opcode;

namespace rules {

const Rules never_bound_rules = {Unreachable{}, Unreachable{}, Unreachable{}};
const Rules not_yet_rules = {NotYet{"the op has no derivative in this version"},
                             NotYet{"the op has no transpose in this version"},
                             NotYet{"the op has no batching rule in this version"}};

}  // namespace rules

namespace {

const Rules& extension_rules(Opcode opcode) {
  using namespace rules;  // namespace of the rules
  static const Rules* const kRules[] = {
#define HILO_EXTENSION(enumerator, name) &name##_rules,
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) &name##_rules,
#include "hilo/hlo/ir/extensions.inc"
  };
  return *kRules[static_cast<int>(opcode) - hlo::kHloOpcodeCount];
}

}  // namespace

const Rules& rules::find_rules(Opcode opcode) {
  if (is_extension(opcode)) return extension_rules(opcode);
  switch (opcode) {
#define HILO_ELEMENTWISE(enumerator, name, lax_name, ...) \
  case Opcode::k##enumerator: return rules::lax_name##_rules;
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
    case Opcode::kBitcastConvert: return rules::bitcast_convert_rules;
    case Opcode::kBroadcast: return rules::broadcast_rules;
    case Opcode::kConstant: return rules::constant_rules;
    case Opcode::kIota: return rules::iota_rules;
    case Opcode::kReshape: return rules::reshape_rules;
    case Opcode::kReverse: return rules::reverse_rules;
    case Opcode::kTranspose: return rules::transpose_rules;
    case Opcode::kConcatenate: return rules::concatenate_rules;
    case Opcode::kDynamicSlice: return rules::dynamic_slice_rules;
    case Opcode::kDynamicUpdateSlice: return rules::dynamic_update_slice_rules;
    case Opcode::kPad: return rules::pad_rules;
    case Opcode::kSlice: return rules::slice_rules;
    case Opcode::kReduce: return rules::reduce_rules;
    case Opcode::kReduceWindow: return rules::reduce_window_rules;
    case Opcode::kSelectAndScatter: return rules::select_and_scatter_rules;
    case Opcode::kDot: return rules::dot_rules;
    case Opcode::kConvolution: return rules::convolution_rules;
    case Opcode::kGather: return rules::gather_rules;
    case Opcode::kScatter: return rules::scatter_rules;
    case Opcode::kTopK: return rules::top_k_rules;
    case Opcode::kSort: return rules::sort_rules;
    case Opcode::kCholesky: return rules::cholesky_rules;
    case Opcode::kTriangularSolve: return rules::triangular_solve_rules;
    case Opcode::kFft: return rules::fft_rules;
    case Opcode::kRngBitGenerator: return rules::rng_bit_generator_rules;
    case Opcode::kCall: return rules::call_rules;
    case Opcode::kConditional: return rules::conditional_rules;
    case Opcode::kWhile: return rules::while_rules;
    case Opcode::kOptimizationBarrier: return rules::optimization_barrier_rules;
    case Opcode::kAllGather: return rules::loaded_all_gather_rules;
    case Opcode::kAllReduce: return rules::all_reduce_rules;
    case Opcode::kAllToAll: return rules::loaded_all_to_all_rules;
    case Opcode::kCollectiveBroadcast: return rules::collective_broadcast_rules;
    case Opcode::kCollectivePermute: return rules::collective_permute_rules;
    case Opcode::kReduceScatter: return rules::reduce_scatter_rules;
    case Opcode::kSetDimensionSize: return rules::set_dimension_size_rules;
    // Without operands there is nothing to differentiate or to map over.
    case Opcode::kAfterAll:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngGetAndUpdateState:
    // Traced as the ops that they represent.
    case Opcode::kAddDependency:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kBitcast:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kDynamicReshape:
    case Opcode::kFusion:
    case Opcode::kGetDimensionSize:
    case Opcode::kMap:
    case Opcode::kRaggedDot:
    case Opcode::kRng:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kStochasticConvert:
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement: return rules::never_bound_rules;
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone: return rules::transfer_rules;
    case Opcode::kCustomCall: return rules::custom_call_rules;
    case Opcode::kCollectiveReduce:
    case Opcode::kRaggedAllToAll:
    case Opcode::kShuffle: return rules::not_yet_rules;
  }
  __builtin_unreachable();
}

}  // namespace hilo
