// SPDX-License-Identifier: Apache-2.0
#include "tests/support/samples.h"

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/extensions.h"
#include "tests/support/elementwise_samples.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {

using hlo::Opcode;

namespace {

Samples stop_gradient_samples(Wanted wanted) { return identity_samples(hlo::kExtStopGradient, wanted); }

// A function with a derivative of its own computes what its primal does: tests/import/exported_test.cc.
Samples custom_vjp_samples(Wanted) { return {}; }
Samples custom_vjp_tangent_samples(Wanted) { return {}; }

// Ops over a named axis mean something inside vmap and pmap only: tests/lax/collective_test.cc.
Samples psum_samples(Wanted) { return {}; }
Samples pmax_samples(Wanted) { return {}; }
Samples pmin_samples(Wanted) { return {}; }
Samples all_gather_samples(Wanted) { return {}; }
Samples ppermute_samples(Wanted) { return {}; }
Samples axis_index_samples(Wanted) { return {}; }

Samples extension_samples(Opcode opcode, Wanted wanted) {
#define HILO_EXTENSION(enumerator, name) \
  if (opcode == hlo::kExt##enumerator) return name##_samples(wanted);
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) \
  if (opcode == hlo::kExt##enumerator) return name##_samples(wanted);
#include "hilo/hlo/ops/extensions.inc"
  return {};
}

Samples structural_samples(Opcode opcode, Wanted wanted) {
  switch (opcode) {
#define HILO_ELEMENTWISE(enumerator, ...) case Opcode::k##enumerator:
#include "hilo/hlo/ops/elementwise.inc"
#undef HILO_ELEMENTWISE
    return {};
    case Opcode::kBatchNormGrad: return batch_norm_grad_samples(wanted);
    case Opcode::kBatchNormInference: return batch_norm_inference_samples(wanted);
    case Opcode::kBatchNormTraining: return batch_norm_training_samples(wanted);
    case Opcode::kBitcastConvert: return bitcast_convert_samples(wanted);
    case Opcode::kAsyncDone: return async_passing_samples(opcode, wanted);
    case Opcode::kAsyncUpdate: return async_passing_samples(opcode, wanted);
    case Opcode::kAsyncStart: return async_start_samples(wanted);
    case Opcode::kBitcast: return bitcast_samples(wanted);
    case Opcode::kCopyDone: return copy_done_samples(wanted);
    case Opcode::kCopyStart: return copy_start_samples(wanted);
    case Opcode::kDomain: return domain_samples(wanted);
    case Opcode::kDynamicReshape: return dynamic_reshape_samples(wanted);
    case Opcode::kFusion: return fusion_samples(wanted);
    case Opcode::kGetDimensionSize: return get_dimension_size_samples(wanted);
    case Opcode::kMap: return map_samples(wanted);
    case Opcode::kRaggedDot: return ragged_dot_samples(wanted);
    case Opcode::kScaledDot: return scaled_dot_samples(wanted);
    case Opcode::kScan: return xla_scan_samples(wanted);
    case Opcode::kSetDimensionSize: return set_dimension_size_samples(wanted);
    case Opcode::kStochasticConvert: return stochastic_convert_samples(wanted);
    case Opcode::kTopK: return top_k_samples(wanted);
    case Opcode::kBroadcast: return broadcast_samples(wanted);
    case Opcode::kCall: return call_samples(wanted);
    case Opcode::kConcatenate: return concatenate_samples(wanted);
    case Opcode::kCholesky: return cholesky_samples(wanted);
    case Opcode::kConditional: return conditional_samples(wanted);
    case Opcode::kConstant: return constant_samples(wanted);
    case Opcode::kConvolution: return convolution_samples(wanted);
    case Opcode::kDot: return dot_samples(wanted);
    case Opcode::kDynamicSlice: return dynamic_slice_samples(wanted);
    case Opcode::kDynamicUpdateSlice: return dynamic_update_slice_samples(wanted);
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter: return identity_samples(opcode, wanted);
    case Opcode::kFft: return fft_samples(wanted);
    case Opcode::kGather: return gather_samples(wanted);
    case Opcode::kGetTupleElement: return get_tuple_element_samples(wanted);
    case Opcode::kIota: return iota_samples(wanted);
    case Opcode::kPad: return pad_samples(wanted);
    case Opcode::kReduce: return reduce_samples(wanted);
    case Opcode::kReduceWindow: return reduce_window_samples(wanted);
    case Opcode::kReshape: return reshape_samples(wanted);
    case Opcode::kReverse: return reverse_samples(wanted);
    case Opcode::kRngBitGenerator: return rng_bit_generator_samples(wanted);
    case Opcode::kScatter: return scatter_samples(wanted);
    case Opcode::kSelectAndScatter: return select_and_scatter_samples(wanted);
    case Opcode::kSlice: return slice_samples(wanted);
    case Opcode::kSort: return sort_samples(wanted);
    case Opcode::kTranspose: return transpose_samples(wanted);
    case Opcode::kTriangularSolve: return triangular_solve_samples(wanted);
    case Opcode::kTuple: return tuple_samples(wanted);
    case Opcode::kWhile: return while_samples(wanted);
    // What a custom call means is its handler's business: tests/hlo/ops/custom_call_test.cc.
    case Opcode::kCustomCall: return {};
    // Replicas meet in these, or differ by them: tests/replica/execute_replicas_test.cc.
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kPartitionId:
    case Opcode::kReduceScatter:
    case Opcode::kReplicaId:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart: return {};
    // About tokens and states, which no element type goes through: tests/hlo/ops/ext and tests/hlo/ops/transfer_test.cc.
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState: return {};
    case Opcode::kCollectiveReduce:
    case Opcode::kRaggedAllToAll:
    case Opcode::kShuffle: return {};
  }
  return {};
}

}  // namespace

std::vector<Sample> samples_of(Opcode opcode, ElementType type, int64_t n, Values values) {
  if (!hlo::contains(hlo::op_def(opcode).operand_types, type)) return {};
  if (hlo::is_elementwise(opcode)) return elementwise_samples(opcode, type, n, values);
  const Wanted wanted{type, n, values};
  return hlo::is_extension(opcode) ? extension_samples(opcode, wanted) : structural_samples(opcode, wanted);
}

StatusOr<hlo::InstructionId> append(hlo::Builder& builder, const Sample& sample) {
  if (sample.opcode == Opcode::kParameter) return builder.parameter(*sample.declared);
  std::vector<hlo::InstructionId> operands;
  for (const Literal& operand : sample.operands) operands.push_back(builder.parameter(operand.shape()));
  return append_on(builder, sample, std::move(operands));
}

StatusOr<hlo::InstructionId> append_on(hlo::Builder& builder, const Sample& sample,
                                       std::vector<hlo::InstructionId> operands) {
  if (sample.opcode == Opcode::kWhile || (sample.opcode == Opcode::kOptimizationBarrier && operands.size() > 1)) {
    operands = {builder.tuple(operands)};
  } else if (sample.opcode == Opcode::kConditional) {
    const auto& attributes = static_cast<const hlo::ConditionalAttributes&>(*sample.attributes);
    const hlo::InstructionId selector = operands[0], shared = builder.tuple(std::span(operands).subspan(1));
    operands.assign(attributes.branches.size() + 1, shared);
    operands[0] = selector;
  }
  return builder.add(sample.opcode, operands, sample.attributes, sample.declared);
}

StatusOr<hlo::ComputationPtr> computation_of(const Sample& sample) {
  hlo::Builder builder("main");
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId root, append(builder, sample));
  return std::move(builder).build(root);
}

hlo::Module module_of(hlo::ComputationPtr entry) {
  hlo::Module module;
  module.name = "sample";
  module.entry = std::move(entry);
  return module;
}

std::span<const ElementType> array_types() {
  static const std::vector<ElementType> types = [] {
    std::vector<ElementType> all;
    for (const ElementTypeInfo& info : kElementTypes) {
      if (is_array_type(info.type)) all.push_back(info.type);
    }
    return all;
  }();
  return types;
}

}  // namespace hilo::tests
