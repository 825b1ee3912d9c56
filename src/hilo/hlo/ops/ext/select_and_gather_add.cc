// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/select_and_gather_add.h"

#include <fmt/format.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/reduce_window.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kSelectAndGatherAddFields[] = {
    field<&SelectAndGatherAddAttributes::window>("window", FieldShow::kUnlessDefault),
    field<&SelectAndGatherAddAttributes::select>("select", FieldShow::kAlways),
};

StatusOr<Shape> infer_select_and_gather_add(const ShapeRuleInput& input) {
  const auto& a = attributes_of<SelectAndGatherAddAttributes>(input);
  const Shape tangents = input.operands[0].with_default_layout(), operand = input.operands[1].with_default_layout();
  if (tangents != operand) {
    return invalid_argument(
        fmt::format("operands differ; got {} and {}; wanted one shape", tangents.to_string(), operand.to_string()));
  }
  HILO_RETURN_IF_ERROR(check_window(a.window, operand.rank()));
  const Shape scalars[] = {Shape::scalar(operand.element_type()), Shape::scalar(operand.element_type())};
  HILO_RETURN_IF_ERROR(check_called("select", a.select, scalars, Shape::scalar(ElementType::kPred)));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, window_counts(operand.dimensions(), a.window));
  return Shape::make_array(operand.element_type(), counts);
}

/// Combines two (taken, value, tangent): the first stays if `select` keeps it, or if the second isn't taken.
StatusOr<ComputationPtr> reducer_of(const ComputationPtr& keeps, ElementType type) {
  const Shape scalar = Shape::scalar(type), flag = Shape::scalar(ElementType::kPred);
  const Shape shapes[] = {flag, scalar, scalar, flag, scalar, scalar};
  Decomposition d("select_and_gather_add", shapes);
  const Expr taken = d.operand(0), value = d.operand(1), tangent = d.operand(2);
  const Expr other_taken = d.operand(3), other = d.operand(4), other_tangent = d.operand(5);
  const Expr stays = bitwise_or(call(d, keeps, {value, other}), bitwise_not(other_taken));
  const Expr first = bitwise_and(taken, stays);
  return std::move(d).finish(
      tuple(d, {bitwise_or(taken, other_taken), select(first, value, other), select(first, tangent, other_tangent)}));
}

/// A reduce-window of (taken, value, tangent). The initial value isn't taken, so every element replaces it.
StatusOr<ComputationPtr> decompose_select_and_gather_add(const Instruction& i, std::span<const Shape> operands) {
  const auto& a = attributes_of<SelectAndGatherAddAttributes>(i);
  Decomposition d(i, operands);
  const Expr tangents = d.operand(0), operand = d.operand(1);
  const Expr no = d.constant(Literal::scalar(false)), zero = d.constant(Literal(Shape::scalar(operand.type())));
  const Expr taken = full_like(operand, ElementType::kPred, 1);
  auto attributes = std::make_shared<ReduceWindowAttributes>();
  attributes->window = a.window;
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, reducer_of(a.select, operand.type()));
  const Expr all = d.add(Opcode::kReduceWindow, {taken, operand, tangents, no, zero, zero}, std::move(attributes));
  return std::move(d).finish(element(all, 2));
}

void select_and_gather_add_rule(RuleBuilder& builder) {
  windows_rule(attributes_of<SelectAndGatherAddAttributes>(builder.instruction).window, 2, builder);
}

}  // namespace

HILO_DEFINE_OP(ext_select_and_gather_add_op,
               {.opcode = kExtSelectAndGatherAdd,
                .name = "hilo.select_and_gather_add",
                .arity = 2,
                .operand_types = kFloating,
                .traits = kExtension,
                .cost = CostClass::kHero,
                .sharding = {select_and_gather_add_rule, passing_factors},
                .infer_shape = infer_select_and_gather_add,
                .attributes = attributes_def<SelectAndGatherAddAttributes>(kSelectAndGatherAddFields),
                .decompose = decompose_select_and_gather_add,
                .spec = "jax.lax.reduce_window"})

}  // namespace hilo::hlo
