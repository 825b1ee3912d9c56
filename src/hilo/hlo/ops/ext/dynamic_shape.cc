// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/dynamic_shape.h"

#include <fmt/format.h>

#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kDynamicShapeFields[] = {
    field<&DimensionSizeAttributes::dimensions>("dimensions", FieldShow::kAlways),
};

/// get_dimension_size_c1
Status check_one(const ShapeRuleInput& input) {
  const Int64List& dimensions = attributes_of<DimensionSizeAttributes>(input).dimensions;
  if (dimensions.size() != 1)
    return invalid_argument(fmt::format("dimensions: got {}, wanted exactly one", list_to_string(dimensions)));
  return check_dimension("dimensions", dimensions[0], input.operands[0]);
}

StatusOr<Shape> infer_get_dimension_size(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_one(input));
  return Shape::scalar(ElementType::kS32);
}

int64_t size_of(const Instruction& i, const Shape& operand) {
  return operand.dimension(attributes_of<DimensionSizeAttributes>(i).dimensions[0]);
}

StatusOr<ComputationPtr> decompose_get_dimension_size(const Instruction& i, std::span<const Shape> operands) {
  const int64_t size = size_of(i, operands[0]);
  if (size > INT32_MAX) return invalid_argument(fmt::format("the size {} doesn't fit s32", size));
  Decomposition d(i, operands);
  return std::move(d).finish(d.constant(Literal::scalar<int32_t>(static_cast<int32_t>(size))));
}

StatusOr<Shape> infer_set_dimension_size(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_one(input));
  if (!input.operands[1].compatible(Shape::scalar(ElementType::kS32)))
    return invalid_argument(fmt::format("operand 1 is {}, wanted s32[]", input.operands[1].to_string()));
  return input.operands[0].with_default_layout();
}

StatusOr<Literal> evaluate_set_dimension_size(const EvaluateInput& input) {
  const int64_t there = size_of(input.instruction, input.operands[0]->shape());
  const int32_t requested = input.operands[1]->data<int32_t>()[0];
  if (requested == there) return *input.operands[0];
  return unimplemented(
      fmt::format("the size {} instead of {}: shapes are fixed when a program is compiled", requested, there));
}

/// Operands: the array, then the result's sizes.
StatusOr<Shape> infer_dynamic_reshape(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_array(input));
  if (input.operands.empty() || std::ssize(input.operands) != 1 + result.rank()) {
    return invalid_argument(
        fmt::format("got {} operands, wanted the array and {} sizes", input.operands.size(), result.rank()));
  }
  for (size_t i = 1; i < input.operands.size(); ++i) {
    if (input.operands[i].is_scalar() && is_integer(input.operands[i].element_type())) continue;
    return invalid_argument(
        fmt::format("operand {} is {}, wanted an integer scalar", i, input.operands[i].to_string()));
  }
  const Shape& x = input.operands[0];
  if (x.element_type() != result.element_type()) {  // dynamic_reshape_c1
    return invalid_argument(fmt::format("element types differ; got {} and {}", x.to_string(), result.to_string()));
  }
  if (x.element_count() != result.element_count()) {  // dynamic_reshape_c2
    return invalid_argument(fmt::format("{} has {} elements, the result {} has {}", x.to_string(), x.element_count(),
                                        result.to_string(), result.element_count()));
  }
  return result.with_default_layout();
}

StatusOr<ComputationPtr> decompose_dynamic_reshape(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  return std::move(d).finish(reshape(d.operand(0), i.shape.dimensions()));
}

OpDef dimension_size_def(Opcode opcode, std::string_view name, int arity, std::string_view spec) {
  return {.opcode = opcode,
          .name = name,
          .arity = arity,
          .operand_types = kAnyArray,
          .cost = CostClass::kFree,
          .sharding = kUnshared,
          .infer_shape = nullptr,
          .attributes = attributes_def<DimensionSizeAttributes>(kDynamicShapeFields),
          .spec = spec};
}

}  // namespace

HILO_DEFINE_OP(get_dimension_size_op, [] {
  OpDef def = dimension_size_def(Opcode::kGetDimensionSize, "get-dimension-size", 1, "get_dimension_size");
  def.infer_shape = infer_get_dimension_size;
  def.decompose = decompose_get_dimension_size;
  return def;
}())

HILO_DEFINE_OP(set_dimension_size_op, [] {
  OpDef def = dimension_size_def(Opcode::kSetDimensionSize, "set-dimension-size", 2, "set_dimension_size");
  def.sharding = kPointwiseWhole;
  def.infer_shape = infer_set_dimension_size;
  def.evaluate = evaluate_set_dimension_size;
  return def;
}())

HILO_DEFINE_OP(dynamic_reshape_op, {.opcode = Opcode::kDynamicReshape,
                                    .name = "dynamic-reshape",
                                    .arity = -1,
                                    .operand_types = kAnyArray,
                                    .cost = CostClass::kFree,
                                    .sharding = kUnshared,
                                    .infer_shape = infer_dynamic_reshape,
                                    .decompose = decompose_dynamic_reshape,
                                    .spec = "dynamic_reshape"})

}  // namespace hilo::hlo
