// SPDX-License-Identifier: Apache-2.0
// lax/rules.cc -- the rules of every opcode: a switch and a list that don't compile when one is missing.
#include "hilo/hlo/ops/extensions.h"
#include "hilo/lax/extension_rules.h"
#include "hilo/lax/rule_families.h"

namespace hilo {

using hlo::Opcode;

namespace lax {

const Rules never_bound_rules = {Unreachable{}, Unreachable{}, Unreachable{}};
const Rules not_yet_rules = {NotYet{"the op has no derivative in this version"},
                             NotYet{"the op has no transpose in this version"},
                             NotYet{"the op has no batching rule in this version"}};

}  // namespace lax

namespace {

const Rules& extension_rules(Opcode opcode) {
  using namespace lax;  // NOLINT: where the rules are
  static const Rules* const kRules[] = {
#define HILO_EXTENSION(enumerator, name) &name##_rules,
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) &name##_rules,
#include "hilo/hlo/ops/extensions.inc"
  };
  return *kRules[static_cast<int>(opcode) - hlo::kHloOpcodeCount];
}

}  // namespace

const Rules& rules_of(Opcode opcode) {
  if (is_extension(opcode)) return extension_rules(opcode);
  switch (opcode) {
#define HILO_ELEMENTWISE(enumerator, name, lax_name, ...) \
  case Opcode::k##enumerator: return lax::lax_name##_rules;
#include "hilo/hlo/ops/elementwise.inc"
#undef HILO_ELEMENTWISE
    case Opcode::kBitcastConvert: return lax::bitcast_convert_rules;
    case Opcode::kBroadcast: return lax::broadcast_rules;
    case Opcode::kConstant: return lax::constant_rules;
    case Opcode::kIota: return lax::iota_rules;
    case Opcode::kReshape: return lax::reshape_rules;
    case Opcode::kReverse: return lax::reverse_rules;
    case Opcode::kTranspose: return lax::transpose_rules;
    case Opcode::kConcatenate: return lax::concatenate_rules;
    case Opcode::kDynamicSlice: return lax::dynamic_slice_rules;
    case Opcode::kDynamicUpdateSlice: return lax::dynamic_update_slice_rules;
    case Opcode::kPad: return lax::pad_rules;
    case Opcode::kSlice: return lax::slice_rules;
    case Opcode::kReduce: return lax::reduce_rules;
    case Opcode::kReduceWindow: return lax::reduce_window_rules;
    case Opcode::kSelectAndScatter: return lax::select_and_scatter_rules;
    case Opcode::kDot: return lax::dot_rules;
    case Opcode::kConvolution: return lax::convolution_rules;
    case Opcode::kGather: return lax::gather_rules;
    case Opcode::kScatter: return lax::scatter_rules;
    case Opcode::kTopK: return lax::top_k_rules;
    case Opcode::kSort: return lax::sort_rules;
    case Opcode::kCholesky: return lax::cholesky_rules;
    case Opcode::kTriangularSolve: return lax::triangular_solve_rules;
    case Opcode::kFft: return lax::fft_rules;
    case Opcode::kRngBitGenerator: return lax::rng_bit_generator_rules;
    case Opcode::kCall: return lax::call_rules;
    case Opcode::kConditional: return lax::conditional_rules;
    case Opcode::kWhile: return lax::while_rules;
    case Opcode::kOptimizationBarrier: return lax::optimization_barrier_rules;
    case Opcode::kAllGather: return lax::loaded_all_gather_rules;
    case Opcode::kAllReduce: return lax::all_reduce_rules;
    case Opcode::kAllToAll: return lax::all_to_all_rules;
    case Opcode::kCollectiveBroadcast: return lax::collective_broadcast_rules;
    case Opcode::kCollectivePermute: return lax::collective_permute_rules;
    case Opcode::kReduceScatter: return lax::reduce_scatter_rules;
    case Opcode::kSetDimensionSize: return lax::set_dimension_size_rules;
    // Without operands there is nothing to differentiate or to map over.
    case Opcode::kAfterAll:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngGetAndUpdateState:
    // Traced as what they stand for.
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
    case Opcode::kGetTupleElement: return lax::never_bound_rules;
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone: return lax::transfer_rules;
    case Opcode::kCustomCall: return lax::custom_call_rules;
    case Opcode::kCollectiveReduce:
    case Opcode::kRaggedAllToAll:
    case Opcode::kShuffle: return lax::not_yet_rules;
  }
  __builtin_unreachable();
}

}  // namespace hilo
