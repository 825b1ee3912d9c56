// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/scan_decompose.h"

#include <limits>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

/// The parts of one scan. Carried tuple: counter, then `operands` of them, then ys.
struct Plan {
  const ScanAttributes& attributes;
  AnnotationsPtr line;
  std::vector<Shape> operands;
  std::vector<Shape> ys;
  Shape counter;
  size_t constants, carries, first_xs;

  Shape carried() const {
    std::vector<Shape> shapes = {counter};
    shapes.insert(shapes.end(), operands.begin(), operands.end());
    shapes.insert(shapes.end(), ys.begin(), ys.end());
    return Shape::tuple(shapes);
  }
};

Plan plan_of(const Instruction& scan, std::span<const Shape> operands) {
  const auto& a = attributes_of<ScanAttributes>(scan);
  const bool narrow = a.length <= std::numeric_limits<int32_t>::max();
  Plan plan{a,
            scan.annotations,
            {},
            {},
            Shape::scalar(narrow ? ElementType::kS32 : ElementType::kS64),
            static_cast<size_t>(a.constant_count),
            static_cast<size_t>(a.carry_count),
            static_cast<size_t>(a.constant_count + a.carry_count)};
  for (const Shape& operand : operands) plan.operands.push_back(operand.with_default_layout());
  for (const Shape& y : a.step->result_shape().tuple_elements().subspan(plan.carries)) {
    std::vector<int64_t> sizes = {a.length};
    sizes.insert(sizes.end(), y.dimensions().begin(), y.dimensions().end());
    plan.ys.push_back(Shape::array(y.element_type(), sizes));
  }
  return plan;
}

Literal counter_value(const Plan& plan, int64_t value) {
  if (plan.counter.element_type() == ElementType::kS64) return Literal::scalar<int64_t>(value);
  return Literal::scalar<int32_t>(static_cast<int32_t>(value));
}

StatusOr<ComputationPtr> condition_of(const Plan& plan) {
  const Shape carried[] = {plan.carried()};
  Decomposition d("scan.condition", carried, plan.line);
  return std::move(d).finish(element(d.operand(0), 0) < d.constant(counter_value(plan, plan.attributes.length)));
}

Shape row_of(const Shape& stacked) { return stacked.with_dimensions(stacked.dimensions().subspan(1)); }

/// Returns the shape of `stacked` with a leading dimension of 1.
Shape one_row_of(const Shape& stacked) {
  std::vector<int64_t> sizes(stacked.dimensions().begin(), stacked.dimensions().end());
  sizes[0] = 1;
  return stacked.with_dimensions(sizes);
}

/// Returns the operands, then start indices (row, 0, 0, ...).
Exprs at_row(Exprs operands, int64_t rank, Expr row, Expr zero) {
  operands.push_back(row);
  operands.resize(operands.size() + static_cast<size_t>(rank) - 1, zero);
  return operands;
}

Expr read_row(Expr stacked, Expr row, Expr zero) {
  const Shape shape = stacked.shape();
  const Expr slice = stacked.sink->add_with<DynamicSliceAttributes>(
      Opcode::kDynamicSlice, at_row({stacked}, shape.rank(), row, zero), [&](auto& a) {
        const Shape sliced = one_row_of(shape);
        a.sizes.assign(sliced.dimensions().begin(), sliced.dimensions().end());
      });
  return reshape(slice, row_of(shape).dimensions());
}

Expr write_row(Expr stacked, Expr value, Expr row, Expr zero) {
  const Shape shape = stacked.shape();
  const Expr update = reshape(value, one_row_of(shape).dimensions());
  return stacked.sink->add(Opcode::kDynamicUpdateSlice, at_row({stacked, update}, shape.rank(), row, zero));
}

StatusOr<ComputationPtr> body_of(const Plan& plan) {
  const ScanAttributes& a = plan.attributes;
  const Shape shapes[] = {plan.carried()};
  Decomposition d("scan.body", shapes, plan.line);
  const Expr carried = d.operand(0), counter = element(carried, 0);
  Exprs operands, next;
  for (size_t i = 0; i < plan.operands.size(); ++i) operands.push_back(element(carried, static_cast<int64_t>(i) + 1));
  const Expr zero = d.constant(counter_value(plan, 0));
  const Expr row = a.reverse ? d.constant(counter_value(plan, a.length - 1)) - counter : counter;
  Exprs arguments(operands.begin(), operands.begin() + plan.first_xs);
  for (size_t i = plan.first_xs; i < operands.size(); ++i) arguments.push_back(read_row(operands[i], row, zero));
  const Expr stepped = call(d, a.step, arguments);
  next.push_back(counter + d.constant(counter_value(plan, 1)));
  next.insert(next.end(), operands.begin(), operands.begin() + plan.constants);
  for (size_t i = 0; i < plan.carries; ++i) next.push_back(element(stepped, i));
  next.insert(next.end(), operands.begin() + plan.first_xs, operands.end());
  for (size_t i = 0; i < plan.ys.size(); ++i) {
    const Expr stacked = element(carried, 1 + operands.size() + i);
    next.push_back(write_row(stacked, element(stepped, plan.carries + i), row, zero));
  }
  return std::move(d).finish(tuple(d, next));
}

}  // namespace

StatusOr<ComputationPtr> decompose_scan(const Instruction& scan, std::span<const Shape> operands) {
  const Plan plan = plan_of(scan, operands);
  Decomposition d("scan", plan.operands, plan.line);
  Exprs carried = d.operands(), ys;
  Exprs results(carried.begin() + plan.constants, carried.begin() + plan.first_xs);
  for (const Shape& y : plan.ys) ys.push_back(full(d, y, 0));
  if (plan.attributes.length == 0) {  // there is no row to read, not even in a loop that never runs
    results.insert(results.end(), ys.begin(), ys.end());
    return std::move(d).finish(tuple(d, results));
  }
  carried.insert(carried.begin(), d.constant(counter_value(plan, 0)));
  carried.insert(carried.end(), ys.begin(), ys.end());
  HILO_ASSIGN_OR_RETURN(const ComputationPtr condition, condition_of(plan));
  HILO_ASSIGN_OR_RETURN(const ComputationPtr body, body_of(plan));
  const Expr loop = d.add_with<WhileAttributes>(Opcode::kWhile, {tuple(d, carried)}, [&](auto& w) {
    w.condition = condition;
    w.body = body;
  });
  results.clear();
  for (size_t i = 0; i < plan.carries; ++i) results.push_back(element(loop, 1 + plan.constants + i));
  for (size_t i = 0; i < plan.ys.size(); ++i) results.push_back(element(loop, 1 + plan.operands.size() + i));
  return std::move(d).finish(tuple(d, results));
}

}  // namespace hilo::hlo
