// SPDX-License-Identifier: Apache-2.0
// rules/rules.cc -- the rules of every opcode; a missing one doesn't compile.
#include <algorithm>
#include <array>
#include <span>

#include "hilo/base/sizes.h"
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

struct Row {
  Opcode opcode;
  const Rules* rules;
};

/// The rules of XLA's ops.
constexpr Row kRows[] = {
#define HILO_ELEMENTWISE(enumerator, name, lax_name, ...) {Opcode::k##enumerator, &rules::lax_name##_rules},
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
    {Opcode::kBitcastConvert, &rules::bitcast_convert_rules},
    {Opcode::kBroadcast, &rules::broadcast_rules},
    {Opcode::kConstant, &rules::constant_rules},
    {Opcode::kIota, &rules::iota_rules},
    {Opcode::kReshape, &rules::reshape_rules},
    {Opcode::kReverse, &rules::reverse_rules},
    {Opcode::kTranspose, &rules::transpose_rules},
    {Opcode::kConcatenate, &rules::concatenate_rules},
    {Opcode::kDynamicSlice, &rules::dynamic_slice_rules},
    {Opcode::kDynamicUpdateSlice, &rules::dynamic_update_slice_rules},
    {Opcode::kPad, &rules::pad_rules},
    {Opcode::kSlice, &rules::slice_rules},
    {Opcode::kReduce, &rules::reduce_rules},
    {Opcode::kReduceWindow, &rules::reduce_window_rules},
    {Opcode::kSelectAndScatter, &rules::select_and_scatter_rules},
    {Opcode::kDot, &rules::dot_rules},
    {Opcode::kConvolution, &rules::convolution_rules},
    {Opcode::kGather, &rules::gather_rules},
    {Opcode::kScatter, &rules::scatter_rules},
    {Opcode::kTopK, &rules::top_k_rules},
    {Opcode::kSort, &rules::sort_rules},
    {Opcode::kCholesky, &rules::cholesky_rules},
    {Opcode::kTriangularSolve, &rules::triangular_solve_rules},
    {Opcode::kFft, &rules::fft_rules},
    {Opcode::kRngBitGenerator, &rules::rng_bit_generator_rules},
    {Opcode::kCall, &rules::call_rules},
    {Opcode::kConditional, &rules::conditional_rules},
    {Opcode::kWhile, &rules::while_rules},
    {Opcode::kOptimizationBarrier, &rules::optimization_barrier_rules},
    {Opcode::kAllGather, &rules::loaded_all_gather_rules},
    {Opcode::kAllReduce, &rules::all_reduce_rules},
    {Opcode::kAllToAll, &rules::loaded_all_to_all_rules},
    {Opcode::kCollectiveBroadcast, &rules::collective_broadcast_rules},
    {Opcode::kCollectivePermute, &rules::collective_permute_rules},
    {Opcode::kReduceScatter, &rules::reduce_scatter_rules},
    {Opcode::kSetDimensionSize, &rules::set_dimension_size_rules},
    {Opcode::kCustomCall, &rules::custom_call_rules},
};

/// Ops that share their rules.
constexpr Opcode kWithoutOperands[] = {Opcode::kAfterAll, Opcode::kPartitionId, Opcode::kReplicaId,
                                       Opcode::kRngGetAndUpdateState};
constexpr Opcode kTracedAsOthers[] = {Opcode::kAddDependency,
                                      Opcode::kAllGatherDone,
                                      Opcode::kAllGatherStart,
                                      Opcode::kAllReduceDone,
                                      Opcode::kAllReduceStart,
                                      Opcode::kAsyncDone,
                                      Opcode::kAsyncStart,
                                      Opcode::kAsyncUpdate,
                                      Opcode::kBatchNormGrad,
                                      Opcode::kBatchNormInference,
                                      Opcode::kBatchNormTraining,
                                      Opcode::kBitcast,
                                      Opcode::kCollectivePermuteDone,
                                      Opcode::kCollectivePermuteStart,
                                      Opcode::kCopyDone,
                                      Opcode::kCopyStart,
                                      Opcode::kDomain,
                                      Opcode::kDynamicReshape,
                                      Opcode::kFusion,
                                      Opcode::kGetDimensionSize,
                                      Opcode::kMap,
                                      Opcode::kRaggedDot,
                                      Opcode::kRng,
                                      Opcode::kScaledDot,
                                      Opcode::kScan,
                                      Opcode::kStochasticConvert,
                                      Opcode::kParameter,
                                      Opcode::kTuple,
                                      Opcode::kGetTupleElement};
constexpr Opcode kTransfers[] = {Opcode::kInfeed,   Opcode::kOutfeed, Opcode::kRecv,
                                 Opcode::kRecvDone, Opcode::kSend,    Opcode::kSendDone};
constexpr Opcode kNotYet[] = {Opcode::kCollectiveReduce, Opcode::kRaggedAllToAll, Opcode::kShuffle};

constexpr auto kTable = [] {
  std::array<const Rules*, hlo::kHloOpcodeCount> table{};
  const auto add = [&](std::span<const Opcode> opcodes, const Rules& rules) {
    for (const Opcode opcode : opcodes) table[ordinal(opcode)] = &rules;
  };
  for (const Row& row : kRows) add({&row.opcode, 1}, *row.rules);
  add(kWithoutOperands, rules::never_bound_rules);
  add(kTracedAsOthers, rules::never_bound_rules);
  add(kTransfers, rules::transfer_rules);
  add(kNotYet, rules::not_yet_rules);
  return table;
}();
static_assert(std::ranges::count(kTable, nullptr) == 0, "an op has no rules");

const Rules& extension_rules(Opcode opcode) {
  using namespace rules;
  static const Rules* const kRules[] = {
#define HILO_EXTENSION(enumerator, name) &name##_rules,
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) &name##_rules,
#include "hilo/hlo/ir/extensions.inc"
  };
  return *kRules[static_cast<int>(opcode) - hlo::kHloOpcodeCount];
}

}  // namespace

const Rules& rules::find_rules(Opcode opcode) {
  return is_extension(opcode) ? extension_rules(opcode) : *kTable[ordinal(opcode)];
}

}  // namespace hilo
