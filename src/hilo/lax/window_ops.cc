// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/window_ops.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/ext/select_and_gather_add.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/trace/ops.h"

namespace hilo::ops {

using hlo::Opcode;

std::vector<Array> reduce_window(std::vector<Array> arrays, std::span<const Array> initials, hlo::Window window,
                                 hlo::ComputationPtr body) {
  auto attributes = std::make_shared<hlo::ReduceWindowAttributes>();
  attributes->window = std::move(window);
  attributes->to_apply = std::move(body);
  arrays.insert(arrays.end(), initials.begin(), initials.end());
  return bind({Opcode::kReduceWindow, std::move(arrays), std::move(attributes), std::nullopt});
}

Array window_sum(const Array& x, hlo::Window window) {
  const Array zero = scalar(0, x.dtype());
  return reduce_window({x}, std::span(&zero, 1), std::move(window),
                       or_throw(hlo::scalar_binary_computation(Opcode::kAdd, x.dtype())))[0];
}

Array select_and_scatter_add(const Array& operand, const Array& source, hlo::Window window,
                             hlo::ComputationPtr select) {
  auto attributes = std::make_shared<hlo::SelectAndScatterAttributes>();
  attributes->window = std::move(window);
  attributes->select = std::move(select);
  attributes->scatter = or_throw(hlo::scalar_binary_computation(Opcode::kAdd, operand.dtype()));
  return bind_one(Opcode::kSelectAndScatter, {operand, source, scalar(0, operand.dtype())}, std::move(attributes));
}

Array select_and_gather_add(const Array& tangents, const Array& operand, hlo::Window window,
                            hlo::ComputationPtr select) {
  auto attributes = std::make_shared<hlo::SelectAndGatherAddAttributes>();
  attributes->window = std::move(window);
  attributes->select = std::move(select);
  return bind_one(hlo::kExtSelectAndGatherAdd, {tangents, operand}, std::move(attributes));
}

Array cumulative(Opcode opcode, const Array& x, int64_t axis, bool reverse) {
  auto attributes = std::make_shared<hlo::CumulativeAttributes>();
  attributes->axis = axis;
  attributes->reverse = reverse;
  return bind_one(opcode, {x}, std::move(attributes));
}

hlo::ComputationPtr comparison(hlo::ComparisonDirection direction, ElementType type) {
  hlo::Builder b("select");
  const hlo::InstructionId x = b.parameter(Shape::scalar(type)), y = b.parameter(Shape::scalar(type));
  auto attributes = std::make_shared<hlo::CompareAttributes>();
  attributes->direction = direction;
  const hlo::InstructionId root = or_throw(b.add(Opcode::kCompare, {x, y}, std::move(attributes)));
  return or_throw(std::move(b).build(root));
}

}  // namespace hilo::ops
