// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/select_and_scatter.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/stop.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kSelectAndScatterFields[] = {
    field<&SelectAndScatterAttributes::window>("window", FieldShow::kUnlessDefault),
    field<&SelectAndScatterAttributes::select>("select", FieldShow::kAlways),
    field<&SelectAndScatterAttributes::scatter>("scatter", FieldShow::kAlways),
};

StatusOr<Shape> infer_select_and_scatter(const ShapeRuleInput& input) {
  const auto& a = attributes_of<SelectAndScatterAttributes>(input);
  const Shape &operand = input.operands[0], &source = input.operands[1], &initial = input.operands[2];
  const Shape scalar = Shape::scalar(operand.element_type());
  if (source.element_type() != operand.element_type()) {  // select_and_scatter_c1
    return invalid_argument(fmt::format("element types differ; the operand is {}, the source {}. Hint: convert",
                                        operand.to_string(), source.to_string()));
  }
  if (!initial.is_scalar() || initial.element_type() != operand.element_type()) {  // select_and_scatter_c3
    return invalid_argument(fmt::format("the initial value is {}, wanted {}", initial.to_string(), scalar.to_string()));
  }
  HILO_RETURN_IF_ERROR(check_window(a.window, operand.rank()));  // select_and_scatter_c4..c8
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, window_counts(operand.dimensions(), a.window));
  if (!std::ranges::equal(counts, source.dimensions())) {  // select_and_scatter_c2
    return invalid_argument(fmt::format("the source must have one element per window; got {}, wanted {}",
                                        source.to_string(), list_to_string(counts)));
  }
  const Shape parameters[] = {scalar, scalar};
  HILO_RETURN_IF_ERROR(
      check_called("select", a.select, parameters, Shape::scalar(ElementType::kPred)));  // select_and_scatter_c9
  HILO_RETURN_IF_ERROR(check_called("scatter", a.scatter, parameters, scalar));          // select_and_scatter_c10
  return operand.with_default_layout();                                                  // select_and_scatter_c11, c12
}

/// Returns the offset of the element that the window at `position` selects; nothing if the window has no elements.
StatusOr<std::optional<int64_t>> selected(const EvaluateInput& input, std::span<const int64_t> position) {
  const auto& a = attributes_of<SelectAndScatterAttributes>(input.instruction);
  const Literal& operand = *input.operands[0];
  const Shape& scalar = input.operands[2]->shape();
  const std::vector<int64_t> strides = row_major_strides(operand.shape().dimensions());
  std::vector<int64_t> sizes, offset(a.window.size(), 0);
  for (const WindowDimension& w : a.window) sizes.push_back(w.size);
  std::optional<int64_t> best;
  const StopFlag stop;
  do {
    std::optional<int64_t> at = 0;
    for (size_t d = 0; at && d < sizes.size(); ++d) {
      const auto i = window_source(a.window[d], operand.shape().dimensions()[d], position[d], offset[d]);
      at = i ? std::optional(*at + *i * strides[d]) : std::nullopt;
    }
    if (!at) continue;
    if (best) {
      const Literal x = load_element(operand, *best, scalar), y = load_element(operand, *at, scalar);
      const Literal* const arguments[] = {&x, &y};
      HILO_ASSIGN_OR_RETURN(const Literal stays, input.run(*a.select, arguments));
      if (stays.data<bool>()[0]) continue;
    }
    best = at;
  } while (!stop.raised() && next_index(sizes, offset));
  return best;
}

StatusOr<Literal> evaluate_select_and_scatter(const EvaluateInput& input) {
  const auto& a = attributes_of<SelectAndScatterAttributes>(input.instruction);
  const Literal &source = *input.operands[1], &initial = *input.operands[2];
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::make(literal_shape(input.instruction.shape)));
  for (int64_t i = 0; i < result.shape().element_count(); ++i) store_element(result.mutable_bytes(), i, initial);
  if (source.shape().element_count() == 0) return result;
  std::vector<int64_t> position(a.window.size(), 0);
  int64_t from = 0;
  const StopFlag stop;
  do {
    HILO_ASSIGN_OR_RETURN(const std::optional<int64_t> at, selected(input, position));
    const int64_t number = from++;
    if (!at) continue;
    const Literal old = load_element(result, *at, initial.shape()),
                  added = load_element(source, number, initial.shape());
    const Literal* const arguments[] = {&old, &added};
    HILO_ASSIGN_OR_RETURN(const Literal combined, input.run(*a.scatter, arguments));
    store_element(result.mutable_bytes(), *at, combined);
  } while (!stop.raised() && next_index(source.shape().dimensions(), position));
  return result;
}

/// Operands: the array, the source (one element per window), an initial value.
void select_and_scatter_rule(RuleBuilder& builder) {
  windows_rule(attributes_of<SelectAndScatterAttributes>(builder.instruction).window, 2, builder);
}

/// Only windows that don't overlap can be sharded, at their boundaries.
void select_and_scatter_on_parts(LocalBuilder& builder) {
  passing_factors(builder);
  const Window& window = attributes_of<SelectAndScatterAttributes>(builder.instruction).window;
  for (size_t d = 0; d < window.size(); ++d) {
    const int64_t size = builder.operand(0).dimension(d), windows = builder.operand(1).dimension(d);
    WindowDimension aligned;
    aligned.size = aligned.stride = window[d].size;
    if (window[d] == aligned && size == windows * aligned.size)
      builder.set(builder.factor(builder.op.rule.operands[0], d), LocalStrategy::kPart, windows);
  }
}

}  // namespace

std::optional<ComparisonDirection> plain_order(const Computation& select) {
  const Instruction& root = select.root();
  if (select.size() != 3 || root.opcode != Opcode::kCompare) return std::nullopt;
  const auto& a = attributes_of<CompareAttributes>(root);
  const auto is_parameter = [&](size_t operand, int64_t number) {
    const Instruction& i = select.instruction(root.operands[operand]);
    return i.opcode == Opcode::kParameter && parameter_number(i) == number;
  };
  const ElementType type = select.instruction(root.operands[0]).shape.element_type();
  const bool other_order = a.type == ComparisonType::kTotalOrder ||
                           (a.type == ComparisonType::kSigned && !is_signed_integer(type)) ||
                           (a.type == ComparisonType::kUnsigned && is_signed_integer(type));
  if (!is_parameter(0, 0) || !is_parameter(1, 1) || other_order) return std::nullopt;
  if (a.direction == ComparisonDirection::kEq || a.direction == ComparisonDirection::kNe) return std::nullopt;
  return a.direction;
}

HILO_DEFINE_OP(select_and_scatter_op,
               {.opcode = Opcode::kSelectAndScatter,
                .name = "select-and-scatter",
                .arity = 3,
                .operand_types = kAnyArray,
                .cost = CostClass::kHero,
                .sharding = {select_and_scatter_rule, select_and_scatter_on_parts},
                .infer_shape = infer_select_and_scatter,
                .attributes = attributes_def<SelectAndScatterAttributes>(kSelectAndScatterFields),
                .evaluate = evaluate_select_and_scatter,
                .spec = "select_and_scatter"})

}  // namespace hilo::hlo
