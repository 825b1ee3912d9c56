// SPDX-License-Identifier: Apache-2.0
#include "tests/support/samples.h"

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "tests/support/elementwise_samples.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {

using hlo::Opcode;

namespace {

Samples stop_gradient_samples(Wanted wanted) { return identity_samples(hlo::kExtStopGradient, wanted); }

Samples extension_samples(Opcode opcode, Wanted wanted) {
#define HILO_EXTENSION(enumerator, name) \
  if (opcode == hlo::kExt##enumerator) return name##_samples(wanted);
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) \
  if (opcode == hlo::kExt##enumerator) return name##_samples(wanted);
#include "hilo/hlo/ir/extensions.inc"
  return {};
}

Samples structural_samples(Opcode opcode, Wanted wanted) {
  switch (opcode) {
#define HILO_ELEMENTWISE(enumerator, ...) case Opcode::k##enumerator:
#include "hilo/hlo/ir/elementwise.inc"
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
    case Opcode::kCustomCall: return custom_call_samples(wanted);
    case Opcode::kRng: return rng_samples(wanted);
    case Opcode::kAllGather: return all_gather_of_replicas_samples(wanted);
    case Opcode::kAllReduce: return all_reduce_samples(wanted);
    case Opcode::kAllToAll: return all_to_all_of_replicas_samples(wanted);
    case Opcode::kCollectiveBroadcast: return collective_broadcast_samples(wanted);
    case Opcode::kCollectivePermute: return collective_permute_samples(wanted);
    case Opcode::kPartitionId: return partition_id_samples(wanted);
    case Opcode::kReduceScatter: return reduce_scatter_samples(wanted);
    case Opcode::kReplicaId: return replica_id_samples(wanted);
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart: return started_collective_samples(opcode, wanted);
    case Opcode::kAddDependency: return add_dependency_samples(wanted);
    case Opcode::kAfterAll: return after_all_samples(wanted);
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone: return transfer_samples(opcode, wanted);
    case Opcode::kRngGetAndUpdateState: return rng_get_and_update_state_samples(wanted);
    case Opcode::kCollectiveReduce:
    case Opcode::kRaggedAllToAll:
    case Opcode::kShuffle: return {};
  }
  return {};
}

/// The first op of a pair, if `opcode` is the second one, for example a start for its done.
std::optional<Opcode> first_of_two(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGatherDone: return Opcode::kAllGatherStart;
    case Opcode::kAllReduceDone: return Opcode::kAllReduceStart;
    case Opcode::kCollectivePermuteDone: return Opcode::kCollectivePermuteStart;
    case Opcode::kSendDone: return Opcode::kSend;
    case Opcode::kRecvDone: return Opcode::kRecv;
    default: return std::nullopt;
  }
}

bool takes_a_token(Opcode opcode) {
  constexpr Opcode kOps[] = {Opcode::kAddDependency, Opcode::kInfeed, Opcode::kOutfeed, Opcode::kSend, Opcode::kRecv};
  return std::ranges::find(kOps, opcode) != std::end(kOps);
}

/// The first of two instructions as a separate sample. The sample's result for recv is the received value.
Sample first_sample(const Sample& sample, Opcode first) {
  Sample s = sample;
  s.opcode = first;
  if (first == Opcode::kRecv) {
    const Shape number = Shape::scalar(ElementType::kU32);
    s.declared = Shape::tuple({sample.declared->tuple_element(0), number, Shape::token()});
  } else if (first == Opcode::kAllGatherStart) {
    s.declared = Shape::tuple({sample.operands[0].shape(), *sample.declared});
  }
  return s;
}

}  // namespace

std::vector<Sample> samples_of(Opcode opcode, ElementType type, int64_t n, Values values) {
  if (type == ElementType::kToken && opcode != Opcode::kAfterAll) return {};
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
  if (takes_a_token(sample.opcode)) {
    HILO_ASSIGN_OR_RETURN(const hlo::InstructionId token, builder.add(Opcode::kAfterAll, {}));
    operands.push_back(token);
  }
  if (const std::optional<Opcode> first = first_of_two(sample.opcode)) {
    const Sample start = first_sample(sample, *first);
    HILO_ASSIGN_OR_RETURN(const hlo::InstructionId id, append_on(builder, start, std::move(operands)));
    return builder.add(sample.opcode, {id},
                       hlo::op_def(sample.opcode).attributes.fields.empty() ? nullptr : sample.attributes);
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
