// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/convolution.h"

#include <algorithm>

#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns whether each element of the result is the product of one element of the input and one of the kernel.
bool has_one_term(const ConvolutionAttributes& c, const Shape& input, const Shape& kernel) {
  const bool is_one = std::ranges::all_of(c.window, [&](const WindowDimension& w) {
    return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.padding_high == 0 && w.base_dilation == 1;
  });
  const int64_t features = input.dimension(c.dimensions.input_feature);
  return is_one && c.batch_group_count == 1 && c.feature_group_count == features &&
         kernel.dimension(c.dimensions.kernel_input) == 1 && kernel.dimension(c.dimensions.kernel_output) == features;
}

}  // namespace

/// convolution -> product of broadcasts, if each sum has one term: windows of one element, a group per feature.
InstructionId simplify_convolution(RewriteBuilder& b, const RewriteNode& n) {
  const ConvolutionAttributes c = attributes_of<ConvolutionAttributes>(n);
  const Shape input = b.shape(n.operand(0)), kernel = b.shape(n.operand(1)), result = n.shape;
  const ElementType type = result.element_type();
  if (input.element_type() != type || kernel.element_type() != type || is_complex(type)) return kNoInstruction;
  if (!has_one_term(c, input, kernel)) return kNoInstruction;
  auto transpose = std::make_shared<TransposeAttributes>();
  transpose->permutation = input_dimensions(c.dimensions);
  const InstructionId left = b.add(Opcode::kTranspose, {n.operand(0)}, transpose);
  const std::vector<int64_t> features = {kernel.dimension(c.dimensions.kernel_output)};
  const InstructionId right = b.add(Opcode::kReshape, {n.operand(1)}, nullptr, Shape::array(type, features));
  const InstructionId spread = broadcast(b, right, {c.dimensions.output_feature}, result);
  return sum_of_one(b, b.add(Opcode::kMultiply, {left, spread}, nullptr, result));
}

}  // namespace hilo::hlo
