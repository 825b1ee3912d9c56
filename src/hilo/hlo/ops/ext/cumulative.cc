// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/cumulative.h"

#include <fmt/format.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/reduce_window.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kCumulativeFields[] = {
    field<&CumulativeAttributes::axis>("axis", FieldShow::kAlways),
    field<&CumulativeAttributes::reverse>("reverse", FieldShow::kUnlessDefault),
};

StatusOr<Shape> infer_cumulative(const ShapeRuleInput& input) {
  const auto& a = attributes_of<CumulativeAttributes>(input);
  HILO_RETURN_IF_ERROR(check_dimension("axis", a.axis, input.operands[0]));
  return input.operands[0].with_default_layout();
}

/// Returns whether the op computes in a wider type: 8-bit floats can't represent differences and exponentials.
bool widens(Opcode opcode, ElementType type) { return opcode == kExtCumlogsumexp && element_type_info(type).bits <= 8; }

StatusOr<ComputationPtr> reducer_of(Opcode op, ElementType type) {
  if (op == kExtCumlogsumexp) return logaddexp_computation(type);
  return scalar_binary_computation(*opcode_of(*cumulative_kind(op)), type);
}

StatusOr<Literal> initial_of(Opcode op, const Computation& reducer, ElementType type) {
  if (op == kExtCumsum) return Literal(Shape::scalar(type));  // 0, as in JAX
  const ReducerKind kind = op == kExtCumlogsumexp ? ReducerKind::kMaximum : reducer.reducer_kind();
  const std::optional<Literal> neutral = neutral_value(kind, type);
  if (!neutral) return unimplemented(fmt::format("wrong element type: {}", element_type_name(type)));
  return *neutral;
}

StatusOr<ComputationPtr> decompose_cumulative(const Instruction& i, std::span<const Shape> operands) {
  const auto& a = attributes_of<CumulativeAttributes>(i);
  const Shape& shape = operands[0];
  Decomposition d(i, operands);
  const Expr x = d.operand(0);
  if (shape.element_count() == 0) return std::move(d).finish(x);  // a window has at least one element
  const ElementType type = widens(i.opcode, shape.element_type()) ? ElementType::kF32 : shape.element_type();
  auto attributes = std::make_shared<ReduceWindowAttributes>();
  attributes->window = cumulative_window({a.axis, a.reverse}, shape.dimensions());
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, reducer_of(i.opcode, type));
  HILO_ASSIGN_OR_RETURN(Literal initial, initial_of(i.opcode, *attributes->to_apply, type));
  const Expr neutral = d.constant(std::move(initial));
  const Expr all = d.add(Opcode::kReduceWindow, {convert(x, type), neutral}, std::move(attributes));
  return std::move(d).finish(convert(all, shape.element_type()));
}

void cumulative_rule(RuleBuilder& builder) {
  const int64_t axis = attributes_of<CumulativeAttributes>(builder.instruction).axis;
  for (int64_t d = 0; d < builder.results[0].rank(); ++d)
    builder.pair(0, d, 0, d, d == axis ? FactorKind::kReplicate : FactorKind::kPass);
}

void cumulative_on_parts(LocalBuilder& builder) {
  const Instruction& i = builder.instruction;
  passing_factors(builder);
  run_on_parts(builder, attributes_of<CumulativeAttributes>(i).axis,
               widens(i.opcode, i.shape.element_type()) ? std::nullopt : cumulative_kind(i.opcode));
}

OpDef cumulative_op(Opcode opcode, std::string_view name, TypeSet types, std::string_view spec) {
  return {.opcode = opcode,
          .name = name,
          .arity = 1,
          .operand_types = types,
          .traits = kExtension,
          .cost = CostClass::kHero,
          .sharding = {cumulative_rule, cumulative_on_parts},
          .infer_shape = infer_cumulative,
          .attributes = attributes_def<CumulativeAttributes>(kCumulativeFields),
          .decompose = decompose_cumulative,
          .spec = spec};
}

}  // namespace

StatusOr<ComputationPtr> logaddexp_computation(ElementType type) {
  const Shape scalars[] = {Shape::scalar(type), Shape::scalar(type)};
  Decomposition d("logaddexp", scalars);
  const Expr x = d.operand(0), y = d.operand(1);
  const Expr difference = x - y;
  const Expr sum = max(x, y) + log1p(exp(-abs(difference)));
  return std::move(d).finish(select(difference != difference, x + y, sum));
}

std::optional<ReducerKind> cumulative_kind(Opcode opcode) {
  if (opcode == kExtCumsum) return ReducerKind::kAdd;
  if (opcode == kExtCumprod) return ReducerKind::kMultiply;
  if (opcode == kExtCummin) return ReducerKind::kMinimum;
  if (opcode == kExtCummax || opcode == kExtCumlogsumexp) return ReducerKind::kMaximum;
  return std::nullopt;
}

HILO_DEFINE_OP(ext_cumsum_op, cumulative_op(kExtCumsum, "hilo.cumsum", kNumeric, "jax.lax.cumsum"))
HILO_DEFINE_OP(ext_cumprod_op, cumulative_op(kExtCumprod, "hilo.cumprod", kNumeric, "jax.lax.cumprod"))
HILO_DEFINE_OP(ext_cummax_op, cumulative_op(kExtCummax, "hilo.cummax", kReal, "jax.lax.cummax"))
HILO_DEFINE_OP(ext_cummin_op, cumulative_op(kExtCummin, "hilo.cummin", kReal, "jax.lax.cummin"))
HILO_DEFINE_OP(ext_cumlogsumexp_op,
               cumulative_op(kExtCumlogsumexp, "hilo.cumlogsumexp", kFloating, "jax.lax.cumlogsumexp"))

}  // namespace hilo::hlo
