// SPDX-License-Identifier: Apache-2.0
// Products: dot, and convolution with its groups and windows.
#include "hilo/hlo/ops/dot.h"

#include <algorithm>

#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {
namespace {}  // namespace

ShardingRule dot_rule(const Instruction& instruction, RuleBuilder builder) {
  const auto& dot = attributes_of<DotAttributes>(instruction);
  const Shape left = builder.operands[0], right = builder.operands[1];
  int64_t place = 0;
  for (size_t i = 0; i < dot.lhs_batch_dimensions.size(); ++i) {
    const int batch = builder.factor(left.dimension(dot.lhs_batch_dimensions[i]));
    builder.operand(0, dot.lhs_batch_dimensions[i], batch);
    builder.operand(1, dot.rhs_batch_dimensions[i], batch);
    builder.result(0, place++, batch);
  }
  for (int64_t d = 0; d < left.rank(); ++d) {
    if (!contains(dot.lhs_batch_dimensions, d) && !contains(dot.lhs_contracting_dimensions, d))
      builder.pair(0, d, 0, place++);
  }
  for (int64_t d = 0; d < right.rank(); ++d) {
    if (!contains(dot.rhs_batch_dimensions, d) && !contains(dot.rhs_contracting_dimensions, d))
      builder.pair(1, d, 0, place++);
  }
  for (size_t i = 0; i < dot.lhs_contracting_dimensions.size(); ++i) {
    const int summed = builder.factor(left.dimension(dot.lhs_contracting_dimensions[i]), FactorKind::kReduction);
    builder.operand(0, dot.lhs_contracting_dimensions[i], summed);
    builder.operand(1, dot.rhs_contracting_dimensions[i], summed);
  }
  return std::move(builder.rule);
}

namespace {

/// Windows along one spatial dimension: either there are more of them than elements in one, or the other way round.
void add_spatial(const WindowDimension& window, int64_t in, int64_t kernel, int64_t out, RuleBuilder& builder) {
  const int64_t size = builder.operands[0].dimension(in), windows = builder.results[0].dimension(out);
  const bool alone = window == WindowDimension{};
  if (alone || windows >= window.size) {
    const int shared = builder.factor(size, alone ? FactorKind::kPass : FactorKind::kPermute);
    builder.operand(0, in, shared);
    builder.result(0, out, shared);
    return;
  }
  const int summed = builder.factor(window.size, FactorKind::kReduction);
  builder.operand(0, in, summed);
  builder.operand(1, kernel, summed);
}

}  // namespace

ShardingRule convolution_rule(const Instruction& instruction, RuleBuilder builder) {
  const auto& convolution = attributes_of<ConvolutionAttributes>(instruction);
  const ConvolutionDimensions& names = convolution.dimensions;
  const int64_t features = convolution.feature_group_count, batches = convolution.batch_group_count;
  if (features > 1 || batches > 1) {
    const int group = builder.factor(std::max(features, batches));
    builder.operand(0, features > 1 ? names.input_feature : names.input_batch, group);
    builder.operand(1, names.kernel_output, group);
    builder.result(0, names.output_feature, group);
  }
  const int64_t batch_size = builder.results[0].dimension(names.output_batch);
  if (batches == 1 || batch_size > 1) {
    const int batch = builder.factor(batch_size);
    builder.operand(0, names.input_batch, batch);
    builder.result(0, names.output_batch, batch);
  }
  const int64_t out_size = builder.operands[1].dimension(names.kernel_output) / std::max(features, batches);
  if (out_size > 1) {
    const int out = builder.factor(out_size);
    builder.operand(1, names.kernel_output, out);
    builder.result(0, names.output_feature, out);
  }
  const int64_t summed_size = builder.operands[1].dimension(names.kernel_input);
  if (features == 1 || summed_size > 1) {
    const int summed = builder.factor(summed_size, FactorKind::kReduction);
    builder.operand(0, names.input_feature, summed);
    builder.operand(1, names.kernel_input, summed);
  }
  for (size_t i = 0; i < names.input_spatial.size(); ++i)
    add_spatial(convolution.window[i], names.input_spatial[i], names.kernel_spatial[i], names.output_spatial[i],
                builder);
  return std::move(builder.rule);
}

}  // namespace hilo::hlo
