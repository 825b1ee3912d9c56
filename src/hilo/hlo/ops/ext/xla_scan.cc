// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/xla_scan.h"

#include <fmt/format.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kXlaScanFields[] = {
    field<&XlaScanAttributes::dimensions>("dimensions", FieldShow::kAlways),
    field<&XlaScanAttributes::num_carries>("num_carries", FieldShow::kAlways),
    field<&XlaScanAttributes::is_reverse>("is_reverse", FieldShow::kUnlessDefault),
    field<&XlaScanAttributes::is_associative>("is_associative", FieldShow::kUnlessDefault, kAssociativeNames),
    field<&XlaScanAttributes::to_apply>("to_apply", FieldShow::kAlways),
};

Shape without_dimension(const Shape& shape, int64_t dimension) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(sizes.begin() + dimension);
  return shape.with_dimensions(sizes);
}

/// Returns the parameters of the body.
StatusOr<std::vector<Shape>> parameters_of(const XlaScanAttributes& a, std::span<const Shape> operands) {
  const int64_t count = operands.size();
  if (a.num_carries < 0 || a.num_carries >= count)
    return invalid_argument(
        fmt::format("num_carries: got {} of {} operands, wanted at least one x before them", a.num_carries, count));
  if (a.dimensions.size() != 1)
    return invalid_argument(fmt::format("dimensions: got {}, wanted exactly one", list_to_string(a.dimensions)));
  std::vector<Shape> parameters;
  for (int64_t i = 0; i < count; ++i) {
    const Shape shape = operands[i].with_default_layout();
    if (i >= count - a.num_carries) {
      parameters.push_back(shape);
      continue;
    }
    HILO_RETURN_IF_ERROR(check_dimension("dimensions", a.dimensions[0], shape));
    if (shape.dimension(a.dimensions[0]) != operands[0].dimension(a.dimensions[0]))
      return invalid_argument(fmt::format("operands 0 and {} differ in dimension {}; got {} and {}", i, a.dimensions[0],
                                          operands[0].to_string(), shape.to_string()));
    parameters.push_back(without_dimension(shape, a.dimensions[0]));
  }
  return parameters;
}

StatusOr<Shape> infer_xla_scan(const ShapeRuleInput& input) {
  const auto& a = attributes_of<XlaScanAttributes>(input);
  HILO_ASSIGN_OR_RETURN(const std::vector<Shape> parameters, parameters_of(a, input.operands));
  if (a.to_apply == nullptr) return invalid_argument("to_apply: the computation is missing");
  const Shape& result = a.to_apply->result_shape();
  HILO_RETURN_IF_ERROR(check_called("to_apply", a.to_apply, parameters, result));
  if (!result.is_tuple() || result.tuple_size() < a.num_carries)
    return invalid_argument(fmt::format("to_apply '{}': returns {}, wanted a tuple that ends with {} carries",
                                        a.to_apply->name(), result.to_string(), a.num_carries));
  std::vector<Shape> results;
  const int64_t ys = result.tuple_size() - a.num_carries, length = input.operands[0].dimension(a.dimensions[0]);
  for (int64_t i = 0; i < ys; ++i) {
    const Shape& y = result.tuple_element(i);
    if (!y.is_array() || a.dimensions[0] > y.rank())
      return invalid_argument(fmt::format("to_apply '{}': y {} is {}, which has no place for dimension {}",
                                          a.to_apply->name(), i, y.to_string(), a.dimensions[0]));
    std::vector<int64_t> sizes(y.dimensions().begin(), y.dimensions().end());
    sizes.insert(sizes.begin() + a.dimensions[0], length);
    HILO_ASSIGN_OR_RETURN(const Shape stacked, Shape::make_array(y.element_type(), sizes));
    results.push_back(stacked);
  }
  for (int64_t i = 0; i < a.num_carries; ++i) {
    const Shape& carry = parameters[parameters.size() - static_cast<size_t>(a.num_carries - i)];
    const Shape& got = result.tuple_element(ys + i);
    if (!got.compatible(carry))
      return invalid_argument(fmt::format("to_apply '{}': returns carry {} as {}, it came in as {}", a.to_apply->name(),
                                          i, got.to_string(), carry.to_string()));
    results.push_back(carry);
  }
  return Shape::tuple(results);
}

/// Moves dimension `from` of x to `to`.
Expr moved(Expr x, int64_t from, int64_t to) {
  if (from == to) return x;
  Int64List permutation;
  for (int64_t d = 0; d < x.shape().rank(); ++d) {
    if (d != from) permutation.push_back(d);
  }
  permutation.insert(permutation.begin() + to, from);
  return transpose(x, permutation);
}

/// (carries, x slices) -> (carries, y slices), from the body in XLA's order.
StatusOr<ComputationPtr> step_of(const XlaScanAttributes& a) {
  const std::vector<Shape> shapes = a.to_apply->parameter_shapes();
  const std::ptrdiff_t carries = a.num_carries;
  std::vector<Shape> ordered(shapes.end() - carries, shapes.end());
  ordered.insert(ordered.end(), shapes.begin(), shapes.end() - carries);
  Decomposition d("step", ordered);
  Exprs arguments(d.operands().begin() + carries, d.operands().end());
  arguments.insert(arguments.end(), d.operands().begin(), d.operands().begin() + carries);
  const Expr called = call(d, a.to_apply, arguments);
  const int64_t ys = a.to_apply->result_shape().tuple_size() - a.num_carries;
  Exprs results;
  for (int64_t i = 0; i < a.num_carries; ++i) results.push_back(element(called, ys + i));
  for (int64_t i = 0; i < ys; ++i) results.push_back(element(called, i));
  return std::move(d).finish(tuple(d, results));
}

StatusOr<ComputationPtr> decompose_scan_op(const Instruction& i, std::span<const Shape> operands) {
  const auto& a = attributes_of<XlaScanAttributes>(i);
  HILO_ASSIGN_OR_RETURN(const ComputationPtr step, step_of(a));
  Decomposition d(i, operands);
  const std::ptrdiff_t carries = a.num_carries;
  Exprs scanned(d.operands().end() - carries, d.operands().end());
  for (auto x = d.operands().begin(); x != d.operands().end() - carries; ++x)
    scanned.push_back(moved(*x, a.dimensions[0], 0));
  const Expr scan = d.add_with<ScanAttributes>(kExtScan, scanned, [&](auto& own) {
    own.step = step;
    own.length = operands[0].dimension(a.dimensions[0]);
    own.carry_count = a.num_carries;
    own.reverse = a.is_reverse;
  });
  Exprs results;
  for (int64_t k = a.num_carries; k < i.shape.tuple_size(); ++k)
    results.push_back(moved(element(scan, k), 0, a.dimensions[0]));
  for (int64_t k = 0; k < a.num_carries; ++k) results.push_back(element(scan, k));
  return std::move(d).finish(tuple(d, results));
}

}  // namespace

HILO_DEFINE_OP(scan_op, {.opcode = Opcode::kScan,
                         .name = "scan",
                         .arity = -1,
                         .operand_types = kAnyArray,
                         .cost = CostClass::kHero,
                         .sharding = kUnshared,
                         .infer_shape = infer_xla_scan,
                         .attributes = attributes_def<XlaScanAttributes>(kXlaScanFields),
                         .decompose = decompose_scan_op,
                         .spec = "scan"})

}  // namespace hilo::hlo
