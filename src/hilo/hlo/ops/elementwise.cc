// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise.h"

#include <fmt/format.h>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/elementwise_rows.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

/// Checks that element types and dimensions are equal, ignoring layouts. Returns the first operand's shape, row-major.
StatusOr<Shape> common_shape(std::span<const Shape> operands) {
  const Shape first = operands[0].with_default_layout();
  for (const Shape& other : operands.subspan(1)) {
    if (other.with_default_layout() == first) continue;
    if (other.element_type() != first.element_type()) {
      return invalid_argument(fmt::format("operand element types differ; got {} and {}. Hint: convert one operand",
                                          first.to_string(), other.to_string()));
    }
    return invalid_argument(fmt::format(
        "operand shapes differ; got {} and {} (HLO does not broadcast implicitly). Hint: broadcast one operand first",
        first.to_string(), other.to_string()));
  }
  return first;
}

StatusOr<Shape> infer_same(const ShapeRuleInput& input) { return common_shape(input.operands); }

StatusOr<Shape> infer_predicate(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, common_shape(input.operands));
  return shape.with_element_type(ElementType::kPred);
}

StatusOr<Shape> infer_real_part(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, common_shape(input.operands));
  return shape.with_element_type(real_type_of(shape.element_type()));
}

/// Shape rule of convert: the program states the element type.
StatusOr<Shape> infer_declared(const ShapeRuleInput& input) {
  if (!input.declared) return invalid_argument("the result's shape must be stated");
  const Shape& operand = input.operands[0];
  const Shape& declared = *input.declared;
  if (!declared.is_array()) {
    return invalid_argument(fmt::format("the result must be an array; got {}", declared.to_string()));
  }
  if (!std::ranges::equal(operand.dimensions(), declared.dimensions())) {
    return invalid_argument(fmt::format("a conversion can't change the dimensions; got {} from {}",
                                        declared.to_string(), operand.to_string()));
  }
  return declared.with_default_layout();
}

StatusOr<Shape> infer_complex(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, common_shape(input.operands));  // complex_c1
  if (shape.element_type() == ElementType::kF32) return shape.with_element_type(ElementType::kC64);
  if (shape.element_type() == ElementType::kF64) return shape.with_element_type(ElementType::kC128);
  return invalid_argument(fmt::format("complex numbers have f32 or f64 parts; got {}", shape.to_string()));
}

StatusOr<Shape> infer_compare(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, common_shape(input.operands));  // compare_c1, compare_c2
  const auto& attributes = attributes_of<CompareAttributes>(input);
  const ElementType type = shape.element_type();
  const bool ordered =
      attributes.direction != ComparisonDirection::kEq && attributes.direction != ComparisonDirection::kNe;
  if (is_complex(type) && ordered) {
    return invalid_argument(fmt::format("complex numbers have no order; got direction {} on {}, wanted EQ or NE",
                                        kComparisonDirectionNames[ordinal(attributes.direction)], shape.to_string()));
  }
  if (is_complex(type) && attributes.type == ComparisonType::kTotalOrder)  // compare_c4
    return invalid_argument(fmt::format("comparison type TOTALORDER doesn't apply to {}", shape.to_string()));
  return shape.with_element_type(ElementType::kPred);
}

StatusOr<Shape> infer_select(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, common_shape(input.operands.subspan(1)));  // select_c2
  const Shape& predicate = input.operands[0];
  if (predicate.element_type() != ElementType::kPred) {
    return invalid_argument(fmt::format("operand 0 must be pred; got {}", predicate.to_string()));
  }
  if (predicate.rank() != 0 && !std::ranges::equal(predicate.dimensions(), shape.dimensions())) {  // select_c1
    return invalid_argument(
        fmt::format("operand 0 must be a scalar or have the dimensions of the others; got {} for {}",
                    predicate.to_string(), shape.to_string()));
  }
  return shape;
}

StatusOr<Shape> infer_clamp(const ShapeRuleInput& input) {
  const Shape shape = input.operands[1].with_default_layout();
  for (size_t i : {size_t{0}, size_t{2}}) {  // clamp_c1, clamp_c2, clamp_c3
    const Shape& bound = input.operands[i];
    if (bound.element_type() != shape.element_type()) {
      return invalid_argument(
          fmt::format("bounds must have the element type of the value; got {} for {}. Hint: convert one operand",
                      bound.to_string(), shape.to_string()));
    }
    if (bound.rank() != 0 && !std::ranges::equal(bound.dimensions(), shape.dimensions())) {
      return invalid_argument(fmt::format("bounds must be scalars or have the dimensions of the value; got {} for {}",
                                          bound.to_string(), shape.to_string()));
    }
  }
  return shape;
}

StatusOr<Shape> infer_reduce_precision(const ShapeRuleInput& input) {
  const auto& attributes = attributes_of<ReducePrecisionAttributes>(input);
  if (attributes.exponent_bits < 1) {  // reduce_precision_c2
    return invalid_argument(fmt::format("exponent_bits must be at least 1; got {}", attributes.exponent_bits));
  }
  if (attributes.mantissa_bits < 0) {  // reduce_precision_c3
    return invalid_argument(fmt::format("mantissa_bits must not be negative; got {}", attributes.mantissa_bits));
  }
  return input.operands[0].with_default_layout();
}

StatusOr<Literal> evaluate_row(const EvaluateInput& input) {
  const Opcode opcode = input.instruction.opcode;
  const ElementType type = input.operands[0]->shape().element_type();
  // copying needs no arithmetic, so it accepts any type
  if (opcode == Opcode::kCopy) return *input.operands[0];
  const RowFunction row = is_complex(type)    ? complex_row(opcode, type)
                          : is_floating(type) ? float_row(opcode, type)
                                              : integer_row(opcode, type);
  if (row == nullptr) return no_kernel(input, type);
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(input.instruction.shape.with_default_layout()));
  row(input, out);
  return out;
}

constexpr AttributeField kCompareFields[] = {
    field<&CompareAttributes::direction>("direction", FieldShow::kAlways, kComparisonDirectionNames),
    field<&CompareAttributes::type>("type", FieldShow::kUnlessDefault, kComparisonTypeNames),
};
constexpr AttributeField kReducePrecisionFields[] = {
    field<&ReducePrecisionAttributes::exponent_bits>("exponent_bits", FieldShow::kAlways),
    field<&ReducePrecisionAttributes::mantissa_bits>("mantissa_bits", FieldShow::kAlways),
};

using ShapeRule = StatusOr<Shape> (*)(const ShapeRuleInput&);

ShapeRule shape_rule_of(ResultType result) {
  switch (result) {
    case ResultType::kSame: return infer_same;
    case ResultType::kPredicate: return infer_predicate;
    case ResultType::kRealPart: return infer_real_part;
    case ResultType::kDeclared: return infer_declared;
  }
  return nullptr;
}

OpDef row_definition(Opcode opcode, std::string_view name, int arity, TypeSet types, ResultType result, CostClass cost,
                     Traits traits) {
  return {.opcode = opcode,
          .name = name,
          .arity = arity,
          .operand_types = types,
          .traits = traits,
          .cost = cost,
          .sharding = kPointwise,
          .infer_shape = shape_rule_of(result),
          .evaluate = evaluate_row,
          .spec = name};
}

using Definitions = std::array<OpDef, kElementwiseOpcodeCount>;

Definitions make_definitions() {
  Definitions table = {
#define HILO_ELEMENTWISE(enumerator, name, lax_name, arity, types, result, cost, traits, kernel) \
  row_definition(Opcode::k##enumerator, name, arity, types, ResultType::result, CostClass::cost, traits),
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
  };
  const auto at = [&table](Opcode opcode) -> OpDef& { return table[ordinal(opcode)]; };
  OpDef& compare = at(Opcode::kCompare);
  compare.infer_shape = infer_compare;
  compare.evaluate = evaluate_compare;
  compare.attributes = attributes_def<CompareAttributes>(kCompareFields);
  OpDef& reduce_precision = at(Opcode::kReducePrecision);
  reduce_precision.infer_shape = infer_reduce_precision;
  reduce_precision.evaluate = evaluate_reduce_precision;
  reduce_precision.attributes = attributes_def<ReducePrecisionAttributes>(kReducePrecisionFields);
  at(Opcode::kSelect).infer_shape = infer_select;
  at(Opcode::kSelect).evaluate = evaluate_select;
  at(Opcode::kClamp).infer_shape = infer_clamp;
  at(Opcode::kClamp).evaluate = evaluate_clamp;
  at(Opcode::kComplex).infer_shape = infer_complex;
  at(Opcode::kComplex).evaluate = evaluate_complex;
  at(Opcode::kConvert).evaluate = evaluate_convert;
  return table;
}

}  // namespace

Status no_kernel(const EvaluateInput& input, ElementType type) {
  return unimplemented(fmt::format("{} of {} is not implemented in this version", opcode_name(input.instruction.opcode),
                                   element_type_name(type)));
}

const OpDef& elementwise_op(Opcode opcode) {
  static const Definitions definitions = make_definitions();
  return definitions[ordinal(opcode)];
}

}  // namespace hilo::hlo
