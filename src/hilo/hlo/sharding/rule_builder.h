// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/rule_builder.h -- a sharding rule in the making, and the rules of the families of ops.
#pragma once

#include <span>

#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/sharding/rule.h"

namespace hilo::hlo {

/// The arrays, tokens and opaque values of a shape, in order.
void append_leaves(const Shape& shape, std::vector<Shape>& leaves);

struct RuleBuilder {
  RuleBuilder(const Instruction& instruction, const Computation& computation);

  std::vector<Shape> operands, results;  ///< leaves
  ShardingRule rule;

  int factor(int64_t size, FactorKind kind = FactorKind::kPass, bool blocked = false);
  /// Adds `factor` behind those that the dimension has.
  void operand(size_t leaf, int64_t dimension, int factor);
  void result(size_t leaf, int64_t dimension, int factor);
  /// One factor for dimension `from` of an operand and dimension `to` of a result.
  void pair(size_t operand_leaf, int64_t from, size_t result_leaf, int64_t to, FactorKind kind = FactorKind::kPass);
  /// Dimension d of all leaves that have these sizes is one factor, for each d.
  void pointwise(std::span<const int64_t> sizes);
};

ShardingRule pointwise_rule(RuleBuilder builder);
ShardingRule broadcast_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule reshape_rule(RuleBuilder builder);
ShardingRule transpose_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule reverse_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule bitcast_convert_rule(RuleBuilder builder);
ShardingRule dot_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule convolution_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule reduce_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule reduce_window_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule select_and_scatter_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule select_and_gather_add_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule cumulative_rule(const Instruction& instruction, RuleBuilder builder);
/// slice and pad: a dimension that changes its size moves elements.
ShardingRule resize_rule(RuleBuilder builder);
ShardingRule concatenate_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule dynamic_slice_rule(RuleBuilder builder);
ShardingRule dynamic_update_slice_rule(RuleBuilder builder);
ShardingRule gather_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule scatter_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule sort_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule top_k_rule(RuleBuilder builder);
ShardingRule fft_rule(const Instruction& instruction, RuleBuilder builder);
/// Ops over the last two dimensions; those before are a batch.
ShardingRule matrix_rule(RuleBuilder builder);
/// The leading dimensions that are a custom call's batch, where it says so: {hilo.batch_dims="1"}.
std::optional<int64_t> stated_batch(const Instruction& call);
ShardingRule custom_call_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule batch_norm_rule(const Instruction& instruction, RuleBuilder builder);
ShardingRule rng_bit_generator_rule(RuleBuilder builder);
/// all-gather, all-to-all, reduce-scatter along `dimensions`, which are whole; others pass.
ShardingRule moving_rule(std::span<const int64_t> dimensions, RuleBuilder builder);

}  // namespace hilo::hlo
