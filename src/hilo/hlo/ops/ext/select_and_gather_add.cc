// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/select_and_gather_add.h"

#include <fmt/format.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kFields[] = {
    field<&SelectAndGatherAddAttributes::window>("window", FieldShow::kUnlessDefault),
    field<&SelectAndGatherAddAttributes::select>("select", FieldShow::kAlways),
};

StatusOr<Shape> infer_shape(const ShapeRuleInput& input) {
  const auto& a = static_cast<const SelectAndGatherAddAttributes&>(*input.attributes);
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

/// The instructions of `body` on other arguments.
StatusOr<InstructionId> inlined(Builder& b, const Computation& body, std::span<const InstructionId> arguments) {
  std::vector<InstructionId> ids;
  for (const Instruction& i : body.instructions()) {
    if (i.opcode == Opcode::kParameter) {
      ids.push_back(arguments[static_cast<size_t>(parameter_number(i))]);
      continue;
    }
    std::vector<InstructionId> operands;
    for (InstructionId operand : i.operands) operands.push_back(ids[operand]);
    HILO_ASSIGN_OR_RETURN(const InstructionId id, b.add(i.opcode, operands, i.attributes, i.shape));
    ids.push_back(id);
  }
  return ids[body.root_id()];
}

/// (taken, value, tangent) of two places: the first's where `select` keeps it, or where the second is none.
StatusOr<ComputationPtr> reducer_of(const Computation& select, ElementType type) {
  Builder b("select_and_gather_add");
  const Shape scalar = Shape::scalar(type), flag = Shape::scalar(ElementType::kPred);
  InstructionId p[6];
  for (size_t i = 0; i < 6; ++i) p[i] = b.parameter(i % 3 == 0 ? flag : scalar);
  const InstructionId values[] = {p[1], p[4]};
  HILO_ASSIGN_OR_RETURN(const InstructionId stays, inlined(b, select, values));
  HILO_ASSIGN_OR_RETURN(const InstructionId no_other, b.add(Opcode::kNot, {p[3]}));
  HILO_ASSIGN_OR_RETURN(const InstructionId keep, b.add(Opcode::kOr, {stays, no_other}));
  HILO_ASSIGN_OR_RETURN(const InstructionId first, b.add(Opcode::kAnd, {p[0], keep}));
  HILO_ASSIGN_OR_RETURN(const InstructionId any, b.add(Opcode::kOr, {p[0], p[3]}));
  HILO_ASSIGN_OR_RETURN(const InstructionId value, b.add(Opcode::kSelect, {first, p[1], p[4]}));
  HILO_ASSIGN_OR_RETURN(const InstructionId tangent, b.add(Opcode::kSelect, {first, p[2], p[5]}));
  const InstructionId root = b.tuple({any, value, tangent});
  return std::move(b).build(root);
}

/// A reduce-window of (taken, value, tangent): the initial value is not taken, so it loses to every element.
StatusOr<ComputationPtr> decompose(const Instruction& i, std::span<const Shape> operands) {
  const auto& a = attributes_of<SelectAndGatherAddAttributes>(i);
  const Shape shape = operands[0].with_default_layout();
  Builder b("select_and_gather_add");
  b.set_annotations(i.annotations);
  const InstructionId tangents = b.parameter(shape), operand = b.parameter(shape);
  const InstructionId yes = b.constant(Literal::scalar(true)), no = b.constant(Literal::scalar(false));
  const InstructionId zero = b.constant(Literal(Shape::scalar(shape.element_type())));
  HILO_ASSIGN_OR_RETURN(const InstructionId taken,
                        b.add(Opcode::kBroadcast, {yes}, std::make_shared<BroadcastAttributes>(),
                              shape.with_element_type(ElementType::kPred)));
  auto attributes = std::make_shared<ReduceWindowAttributes>();
  attributes->window = a.window;
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, reducer_of(*a.select, shape.element_type()));
  HILO_ASSIGN_OR_RETURN(
      const InstructionId all,
      b.add(Opcode::kReduceWindow, {taken, operand, tangents, no, zero, zero}, std::move(attributes)));
  HILO_ASSIGN_OR_RETURN(const InstructionId root, b.get_tuple_element(all, 2));
  return std::move(b).build(root);
}

}  // namespace

const OpDef& ext_select_and_gather_add_op() {
  static const OpDef definition = {.opcode = kExtSelectAndGatherAdd,
                                   .name = "hilo.select_and_gather_add",
                                   .arity = 2,
                                   .operand_types = kFloating,
                                   .traits = kExtension,
                                   .cost = CostClass::kHero,
                                   .infer_shape = infer_shape,
                                   .fields = kFields,
                                   .make_attributes = make_attributes_of<SelectAndGatherAddAttributes>,
                                   .copy_attributes = copy_attributes_of<SelectAndGatherAddAttributes>,
                                   .evaluate = nullptr,
                                   .decompose = decompose,
                                   .spec = "jax.lax.reduce_window"};
  return definition;
}

}  // namespace hilo::hlo
