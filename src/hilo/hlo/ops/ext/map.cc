// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/map.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kMapFields[] = {
    field<&MapAttributes::dimensions>("dimensions", FieldShow::kAlways),
    field<&MapAttributes::to_apply>("to_apply", FieldShow::kAlways),
};

StatusOr<Shape> infer_map(const ShapeRuleInput& input) {
  const auto& a = attributes_of<MapAttributes>(input);
  if (input.operands.empty()) return invalid_argument("got no operands, wanted at least one");  // map_c4
  const Shape& first = input.operands[0];
  std::vector<Shape> scalars;
  for (size_t i = 0; i < input.operands.size(); ++i) {  // map_c1
    const Shape& x = input.operands[i];
    scalars.push_back(Shape::scalar(x.element_type()));
    if (std::ranges::equal(x.dimensions(), first.dimensions())) continue;
    return invalid_argument(fmt::format("operands differ in shape; operand 0 is {}, operand {} is {}",
                                        first.to_string(), i, x.to_string()));
  }
  for (size_t d = 0; d < a.dimensions.size() || static_cast<int64_t>(d) < first.rank(); ++d) {  // map_c3
    if (d < a.dimensions.size() && static_cast<int64_t>(d) < first.rank() && a.dimensions[d] == static_cast<int64_t>(d))
      continue;
    return invalid_argument(fmt::format("dimensions: got {}, wanted all {} of {} in order",
                                        list_to_string(a.dimensions), first.rank(), first.to_string()));
  }
  if (a.to_apply == nullptr) return invalid_argument("to_apply: the computation is missing");
  const Shape& result = a.to_apply->result_shape();
  if (!result.is_scalar())
    return invalid_argument(
        fmt::format("to_apply '{}': returns {}, wanted a scalar", a.to_apply->name(), result.to_string()));
  HILO_RETURN_IF_ERROR(check_called("to_apply", a.to_apply, scalars, result));  // map_c4
  return Shape::array(result.element_type(), first.dimensions());               // map_c2
}

StatusOr<Literal> evaluate_map(const EvaluateInput& input) {
  const Computation& body = *attributes_of<MapAttributes>(input.instruction).to_apply;
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(literal_shape(input.instruction.shape)));
  for (int64_t at = 0; at < out.shape().element_count(); ++at) {
    std::vector<Literal> values;
    for (const Literal* x : input.operands)
      values.push_back(load_element(*x, at, Shape::scalar(x->shape().element_type())));
    std::vector<const Literal*> arguments;
    for (const Literal& value : values) arguments.push_back(&value);
    HILO_ASSIGN_OR_RETURN(const Literal result, input.run(body, arguments));
    store_element(out.mutable_bytes(), at, result);
  }
  return out;
}

/// Returns whether every instruction of the body can be applied to whole arrays.
bool is_elementwise_body(const Computation& body) {
  return std::ranges::all_of(body.instructions(), [&](const Instruction& i) {
    const bool casts = i.opcode == Opcode::kBitcastConvert && body.instruction(i.operands[0]).shape.is_scalar();
    return i.shape.is_scalar() &&
           (is_elementwise(i.opcode) || casts || i.opcode == Opcode::kParameter || i.opcode == Opcode::kConstant);
  });
}

/// Returns the body with arrays of `dimensions` instead of scalars.
Expr widened(Decomposition& d, const Computation& body, std::span<const int64_t> dimensions) {
  Exprs values(body.size());
  for (int64_t n = 0; n < body.parameter_count(); ++n) values[body.parameter(n).id] = d.operand(n);
  for (const Instruction& i : body.instructions()) {
    if (i.opcode == Opcode::kParameter) continue;
    if (i.opcode == Opcode::kConstant) {
      values[i.id] = broadcast(d.constant(attributes_of<ConstantAttributes>(i).value), dimensions, {});
      continue;
    }
    Exprs operands;
    for (InstructionId operand : i.operands) operands.push_back(values[operand]);
    values[i.id] = d.add(i.opcode, operands, i.attributes, i.shape.with_dimensions(dimensions));
  }
  return values[body.root_id()];
}

/// Returns a scan over the elements with the body as its step, for bodies with calls and loops.
StatusOr<Expr> scanned(Decomposition& d, const ComputationPtr& body, const Shape& result) {
  const int64_t count[] = {result.element_count()};
  Decomposition step("step", body->parameter_shapes());
  const Expr y = tuple(step, {call(step, body, step.operands())});
  HILO_ASSIGN_OR_RETURN(const ComputationPtr step_computation, std::move(step).finish(y));
  Exprs flat;
  for (Expr x : d.operands()) flat.push_back(reshape(x, count));
  const Expr scan = d.add_with<ScanAttributes>(kExtScan, flat, [&](auto& a) {
    a.step = step_computation;
    a.length = count[0];
  });
  return reshape(element(scan, 0), result.dimensions());
}

StatusOr<ComputationPtr> decompose_map(const Instruction& i, std::span<const Shape> operands) {
  const ComputationPtr& body = attributes_of<MapAttributes>(i).to_apply;
  Decomposition d(i, operands);
  Expr root;
  if (is_elementwise_body(*body)) {
    root = widened(d, *body, i.shape.dimensions());
  } else {
    HILO_ASSIGN_OR_RETURN(root, scanned(d, body, i.shape));
  }
  return std::move(d).finish(root);
}

}  // namespace

HILO_DEFINE_OP(map_op, {.opcode = Opcode::kMap,
                        .name = "map",
                        .arity = -1,
                        .operand_types = kAnyArray,
                        .cost = CostClass::kHero,
                        .sharding = kPointwise,
                        .infer_shape = infer_map,
                        .attributes = attributes_def<MapAttributes>(kMapFields),
                        .evaluate = evaluate_map,
                        .decompose = decompose_map,
                        .spec = "map"})

}  // namespace hilo::hlo
