// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/control_flow.h"

#include <fmt/format.h>

#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

StatusOr<Shape> infer_parameter(const ShapeRuleInput& input) {
  if (!input.declared) return invalid_argument("the parameter's shape must be stated");
  const int64_t number = attributes_of<ParameterAttributes>(input).number;
  if (number < 0) return invalid_argument(fmt::format("parameter number {} < 0", number));
  return input.declared->with_default_layout();
}

StatusOr<Literal> evaluate_parameter(const EvaluateInput& input) {
  return internal_error(
      fmt::format("{}: a parameter has no kernel; the evaluator binds it", describe(input.instruction)));
}

StatusOr<Shape> infer_tuple(const ShapeRuleInput& input) { return Shape::tuple(input.operands).with_default_layout(); }

StatusOr<Literal> evaluate_tuple(const EvaluateInput& input) {
  std::vector<Literal> elements;
  elements.reserve(input.operands.size());
  for (const Literal* operand : input.operands) elements.push_back(*operand);
  return Literal::tuple(std::move(elements));
}

StatusOr<Shape> infer_get_tuple_element(const ShapeRuleInput& input) {
  const Shape& operand = input.operands[0];
  const int64_t index = attributes_of<GetTupleElementAttributes>(input).index;
  if (!operand.is_tuple()) {  // get_tuple_element's operand is a tuple by its type
    return invalid_argument(fmt::format("the operand must be a tuple; got {}", operand.to_string()));
  }
  if (index < 0 || index >= operand.tuple_size()) {  // get_tuple_element_c1
    return invalid_argument(fmt::format("index {} out of range for {} of {} element{}", index, operand.to_string(),
                                        operand.tuple_size(), operand.tuple_size() == 1 ? "" : "s"));
  }
  return operand.tuple_element(index).with_default_layout();  // get_tuple_element_c2
}

StatusOr<Literal> evaluate_get_tuple_element(const EvaluateInput& input) {
  return input.operands[0]->elements()[attributes_of<GetTupleElementAttributes>(input.instruction).index];
}

/// Returns "element 1 differs", or nothing if the shapes differ as a whole.
std::string first_difference(const Shape& a, const Shape& b) {
  if (!a.is_tuple() || !b.is_tuple() || a.tuple_size() != b.tuple_size()) return "";
  for (int64_t i = 0; i < a.tuple_size(); ++i) {
    if (!a.tuple_element(i).compatible(b.tuple_element(i))) return fmt::format("; element {} differs", i);
  }
  return "";
}

/// Checks a called computation. `role` names it in messages: "body", "branch 1".
Status check_called(std::string_view role, const ComputationPtr& called, std::span<const Shape> arguments) {
  if (called == nullptr) return invalid_argument(fmt::format("{} is missing", role));
  if (called->parameter_count() != std::ssize(arguments)) {
    return invalid_argument(fmt::format("{} '{}' takes {} arguments; got {}", role, called->name(),
                                        called->parameter_count(), arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& expected = called->parameter(i).shape;
    if (expected.compatible(arguments[i])) continue;
    return invalid_argument(fmt::format("{} '{}' takes {} as argument {}; got {}{}", role, called->name(),
                                        expected.to_string(), i, arguments[i].to_string(),
                                        first_difference(expected, arguments[i])));
  }
  return ok_status();
}

StatusOr<Shape> infer_call(const ShapeRuleInput& input) {
  const ComputationPtr& called = attributes_of<CallAttributes>(input).to_apply;
  HILO_RETURN_IF_ERROR(check_called("to_apply", called, input.operands));
  return called->result_shape().with_default_layout();
}

StatusOr<Literal> evaluate_call(const EvaluateInput& input) {
  return input.run(*attributes_of<CallAttributes>(input.instruction).to_apply, input.operands);
}

StatusOr<Shape> infer_while(const ShapeRuleInput& input) {
  const auto& loop = attributes_of<WhileAttributes>(input);
  const Shape carry = input.operands[0].with_default_layout();
  HILO_RETURN_IF_ERROR(check_called("condition", loop.condition, input.operands));  // while_c1
  HILO_RETURN_IF_ERROR(check_called("body", loop.body, input.operands));            // while_c2
  if (loop.condition->result_shape() != Shape::scalar(ElementType::kPred)) {
    return invalid_argument(fmt::format("condition '{}' must return pred[]; got {}", loop.condition->name(),
                                        loop.condition->result_shape().to_string()));
  }
  if (!loop.body->result_shape().compatible(carry)) {
    return invalid_argument(fmt::format("body returns {}, carry is {}{}", loop.body->result_shape().to_string(),
                                        carry.to_string(), first_difference(loop.body->result_shape(), carry)));
  }
  return carry;  // while_c3
}

StatusOr<Literal> evaluate_while(const EvaluateInput& input) {
  const auto& loop = attributes_of<WhileAttributes>(input.instruction);
  Literal carry = *input.operands[0];
  while (true) {
    const Literal* const argument = &carry;
    HILO_ASSIGN_OR_RETURN(const Literal go_on, input.run(*loop.condition, {&argument, 1}));
    if (!go_on.data<bool>()[0]) return carry;
    HILO_ASSIGN_OR_RETURN(carry, input.run(*loop.body, {&argument, 1}));
  }
}

Status check_selector(const ConditionalAttributes& conditional, const Shape& selector) {
  if (conditional.branches.empty()) return invalid_argument("there must be at least one branch");  // case_c1
  if (conditional.predicated) {
    if (conditional.branches.size() != 2) {
      return invalid_argument(fmt::format("the predicated form has 2 branches; got {}", conditional.branches.size()));
    }
    if (selector == Shape::scalar(ElementType::kPred)) return ok_status();
    return invalid_argument(
        fmt::format("operand 0 of the predicated form must be pred[]; got {}", selector.to_string()));
  }
  if (selector == Shape::scalar(ElementType::kS32)) return ok_status();
  return invalid_argument(fmt::format("operand 0 of the indexed form must be s32[]; got {}", selector.to_string()));
}

StatusOr<Shape> infer_conditional(const ShapeRuleInput& input) {
  const auto& conditional = attributes_of<ConditionalAttributes>(input);
  if (input.operands.size() != conditional.branches.size() + 1) {
    return invalid_argument(fmt::format("got {} operands, wanted a selector and one per branch ({})",
                                        input.operands.size(), conditional.branches.size() + 1));
  }
  HILO_RETURN_IF_ERROR(check_selector(conditional, input.operands[0]));
  for (size_t i = 0; i < conditional.branches.size(); ++i) {  // if_c1, case_c2
    HILO_RETURN_IF_ERROR(
        check_called(fmt::format("branch {}", i), conditional.branches[i], input.operands.subspan(i + 1, 1)));
    const Shape& first = conditional.branches[0]->result_shape();
    const Shape& result = conditional.branches[i]->result_shape();
    if (first.compatible(result)) continue;  // if_c2, case_c3
    return invalid_argument(fmt::format("branches must return one shape; branch 0 returns {}, branch {} returns {}{}",
                                        first.to_string(), i, result.to_string(), first_difference(first, result)));
  }
  return conditional.branches[0]->result_shape().with_default_layout();  // if_c3, case_c4
}

StatusOr<Literal> evaluate_conditional(const EvaluateInput& input) {
  const auto& conditional = attributes_of<ConditionalAttributes>(input.instruction);
  const size_t branch = chosen_branch(conditional, *input.operands[0]);
  return input.run(*conditional.branches[branch], input.operands.subspan(branch + 1, 1));
}

StatusOr<Shape> infer_barrier(const ShapeRuleInput& input) { return input.operands[0].with_default_layout(); }

StatusOr<Literal> evaluate_barrier(const EvaluateInput& input) { return *input.operands[0]; }

constexpr AttributeField kParameterFields[] = {
    field<&ParameterAttributes::number>("parameter_number", FieldShow::kAsOperand)};
constexpr AttributeField kGetTupleElementFields[] = {
    field<&GetTupleElementAttributes::index>("index", FieldShow::kAlways)};
constexpr AttributeField kCallFields[] = {
    field<&CallAttributes::to_apply>("to_apply", FieldShow::kAlways),
    field<&CallAttributes::is_composite>("is_composite", FieldShow::kUnlessDefault),
};
constexpr AttributeField kWhileFields[] = {
    field<&WhileAttributes::condition>("condition", FieldShow::kAlways),
    field<&WhileAttributes::body>("body", FieldShow::kAlways),
};
// HLO text writes the predicated form with true_computation and false_computation, without a key for `predicated`.
constexpr AttributeField kConditionalFields[] = {
    field<&ConditionalAttributes::branches>("branch_computations", FieldShow::kAlways),
    field<&ConditionalAttributes::predicated>("predicated", FieldShow::kUnlessDefault),
};

}  // namespace

size_t chosen_branch(const ConditionalAttributes& conditional, int64_t selector) {
  if (conditional.predicated) return selector != 0 ? 0 : 1;
  const int64_t last = std::ssize(conditional.branches) - 1;
  return static_cast<size_t>(selector < 0 || selector > last ? last : selector);
}

size_t chosen_branch(const ConditionalAttributes& conditional, const Literal& selector) {
  return chosen_branch(
      conditional, conditional.predicated ? int64_t{selector.data<bool>()[0]} : int64_t{selector.data<int32_t>()[0]});
}

HILO_DEFINE_OP(parameter_op, {.opcode = Opcode::kParameter,
                              .name = "parameter",
                              .arity = 0,
                              .operand_types = kAnyType,
                              .cost = CostClass::kFree,
                              .sharding = kUnshared,
                              .infer_shape = infer_parameter,
                              .attributes = attributes_def<ParameterAttributes>(kParameterFields),
                              .evaluate = evaluate_parameter,
                              .spec = {}})

HILO_DEFINE_OP(tuple_op, {.opcode = Opcode::kTuple,
                          .name = "tuple",
                          .arity = -1,
                          .operand_types = kAnyType,
                          .cost = CostClass::kFree,
                          .sharding = kUnshared,
                          .infer_shape = infer_tuple,
                          .evaluate = evaluate_tuple,
                          .spec = "tuple"})

HILO_DEFINE_OP(get_tuple_element_op, {.opcode = Opcode::kGetTupleElement,
                                      .name = "get-tuple-element",
                                      .arity = 1,
                                      .operand_types = kAnyType,
                                      .cost = CostClass::kFree,
                                      .sharding = kUnshared,
                                      .infer_shape = infer_get_tuple_element,
                                      .attributes = attributes_def<GetTupleElementAttributes>(kGetTupleElementFields),
                                      .evaluate = evaluate_get_tuple_element,
                                      .spec = "get_tuple_element"})

HILO_DEFINE_OP(call_op, {.opcode = Opcode::kCall,
                         .name = "call",
                         .arity = -1,
                         .operand_types = kAnyType,
                         .cost = CostClass::kHero,
                         .sharding = kUnshared,
                         .infer_shape = infer_call,
                         .attributes = attributes_def<CallAttributes>(kCallFields),
                         .evaluate = evaluate_call,
                         .spec = "composite"})

HILO_DEFINE_OP(while_op, {.opcode = Opcode::kWhile,
                          .name = "while",
                          .arity = 1,
                          .operand_types = kAnyType,
                          .cost = CostClass::kHero,
                          .sharding = kUnshared,
                          .infer_shape = infer_while,
                          .attributes = attributes_def<WhileAttributes>(kWhileFields),
                          .evaluate = evaluate_while,
                          .spec = "while"})

HILO_DEFINE_OP(conditional_op, {.opcode = Opcode::kConditional,
                                .name = "conditional",
                                .arity = -1,
                                .operand_types = kAnyType,
                                .cost = CostClass::kHero,
                                .sharding = kUnshared,
                                .infer_shape = infer_conditional,
                                .attributes = attributes_def<ConditionalAttributes>(kConditionalFields),
                                .evaluate = evaluate_conditional,
                                .spec = "case"})

HILO_DEFINE_OP(optimization_barrier_op, {.opcode = Opcode::kOptimizationBarrier,
                                         .name = "opt-barrier",
                                         .arity = 1,
                                         .operand_types = kAnyType,
                                         .traits = kBarrier,
                                         .cost = CostClass::kFree,
                                         .sharding = kUnshared,
                                         .infer_shape = infer_barrier,
                                         .evaluate = evaluate_barrier,
                                         .spec = "optimization_barrier"})

}  // namespace hilo::hlo
