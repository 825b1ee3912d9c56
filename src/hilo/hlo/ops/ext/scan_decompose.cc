// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/scan_decompose.h"

#include <limits>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

using Ids = std::vector<InstructionId>;

/// Appends instructions whose shapes are known. The builder with checks lies above this folder; tests check the result.
class Emitter {
 public:
  /// `line`: of the scan, which all of its own instructions carry.
  Emitter(std::string name, AnnotationsPtr line) : draft_(std::move(name)), line_(std::move(line)) {}

  Shape shape(InstructionId id) const { return draft_.instruction(id).shape; }
  InstructionId add(Opcode opcode, const Shape& shape, const Ids& operands, AttributesPtr attributes = nullptr) {
    const InstructionId id = draft_.append(opcode, shape, operands, std::move(attributes));
    draft_.mutable_instruction(id).annotations = line_;
    return id;
  }
  template <typename T, typename Fill>
  InstructionId add_with(Opcode opcode, const Shape& shape, const Ids& operands, Fill&& fill) {
    auto attributes = std::make_shared<T>();
    fill(*attributes);
    return add(opcode, shape, operands, std::move(attributes));
  }
  InstructionId parameter(const Shape& shape, int64_t number) {
    return add_with<ParameterAttributes>(Opcode::kParameter, shape, {}, [&](auto& a) { a.number = number; });
  }
  InstructionId constant(Literal value) {
    const Shape shape = value.shape();
    return add_with<ConstantAttributes>(Opcode::kConstant, shape, {}, [&](auto& a) { a.value = std::move(value); });
  }
  InstructionId tuple(const Ids& elements) {
    std::vector<Shape> shapes;
    for (InstructionId id : elements) shapes.push_back(shape(id));
    return add(Opcode::kTuple, Shape::tuple(shapes), elements);
  }
  InstructionId element(InstructionId tuple, int64_t index) {
    const Shape element = shape(tuple).tuple_element(index);
    return add_with<GetTupleElementAttributes>(Opcode::kGetTupleElement, element, {tuple},
                                               [&](auto& a) { a.index = index; });
  }
  StatusOr<ComputationPtr> build(InstructionId root) && { return std::move(draft_).finish(root); }

 private:
  ComputationDraft draft_;
  AnnotationsPtr line_;
};

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
  Emitter e("scan.condition", plan.line);
  const InstructionId carried = e.parameter(plan.carried(), 0);
  const InstructionId counter = e.element(carried, 0);
  const InstructionId length = e.constant(counter_value(plan, plan.attributes.length));
  const InstructionId root =
      e.add_with<CompareAttributes>(Opcode::kCompare, Shape::scalar(ElementType::kPred), {counter, length},
                                    [](auto& a) { a.direction = ComparisonDirection::kLt; });
  return std::move(e).build(root);
}

Shape row_of(const Shape& stacked) { return stacked.with_dimensions(stacked.dimensions().subspan(1)); }

/// `stacked` with a leading dimension of 1.
Shape one_row_of(const Shape& stacked) {
  std::vector<int64_t> sizes(stacked.dimensions().begin(), stacked.dimensions().end());
  sizes[0] = 1;
  return stacked.with_dimensions(sizes);
}

/// Start indices (row, 0, 0, ...).
Ids starts_of(const Shape& stacked, InstructionId row, InstructionId zero) {
  Ids starts(static_cast<size_t>(stacked.rank()), zero);
  starts[0] = row;
  return starts;
}

InstructionId read_row(Emitter& e, InstructionId stacked, InstructionId row, InstructionId zero) {
  const Shape shape = e.shape(stacked);
  Ids operands = {stacked};
  for (InstructionId start : starts_of(shape, row, zero)) operands.push_back(start);
  const Shape sliced = one_row_of(shape);
  const InstructionId slice = e.add_with<DynamicSliceAttributes>(Opcode::kDynamicSlice, sliced, operands, [&](auto& a) {
    a.sizes.assign(sliced.dimensions().begin(), sliced.dimensions().end());
  });
  return e.add(Opcode::kReshape, row_of(shape), {slice});
}

InstructionId write_row(Emitter& e, InstructionId stacked, InstructionId value, InstructionId row, InstructionId zero) {
  const Shape shape = e.shape(stacked);
  const InstructionId update = e.add(Opcode::kReshape, one_row_of(shape), {value});
  Ids operands = {stacked, update};
  for (InstructionId start : starts_of(shape, row, zero)) operands.push_back(start);
  return e.add(Opcode::kDynamicUpdateSlice, shape, operands);
}

StatusOr<ComputationPtr> body_of(const Plan& plan) {
  const ScanAttributes& a = plan.attributes;
  Emitter e("scan.body", plan.line);
  const InstructionId carried = e.parameter(plan.carried(), 0);
  const InstructionId counter = e.element(carried, 0);
  Ids operands, next;
  for (size_t i = 0; i < plan.operands.size(); ++i) operands.push_back(e.element(carried, static_cast<int64_t>(i) + 1));
  const InstructionId zero = e.constant(counter_value(plan, 0));
  InstructionId row = counter;
  if (a.reverse) row = e.add(Opcode::kSubtract, plan.counter, {e.constant(counter_value(plan, a.length - 1)), counter});
  Ids arguments(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(plan.first_xs));
  for (size_t i = plan.first_xs; i < operands.size(); ++i) arguments.push_back(read_row(e, operands[i], row, zero));
  const InstructionId stepped = e.add_with<CallAttributes>(Opcode::kCall, a.step->result_shape(), arguments,
                                                           [&](auto& c) { c.to_apply = a.step; });
  next.push_back(e.add(Opcode::kAdd, plan.counter, {counter, e.constant(counter_value(plan, 1))}));
  next.insert(next.end(), operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(plan.constants));
  for (size_t i = 0; i < plan.carries; ++i) next.push_back(e.element(stepped, static_cast<int64_t>(i)));
  next.insert(next.end(), operands.begin() + static_cast<std::ptrdiff_t>(plan.first_xs), operands.end());
  for (size_t i = 0; i < plan.ys.size(); ++i) {
    const InstructionId stacked = e.element(carried, static_cast<int64_t>(1 + operands.size() + i));
    next.push_back(write_row(e, stacked, e.element(stepped, static_cast<int64_t>(plan.carries + i)), row, zero));
  }
  return std::move(e).build(e.tuple(next));
}

InstructionId zeros(Emitter& e, const Shape& shape) {
  const InstructionId zero = e.constant(Literal(Shape::scalar(shape.element_type())));
  return e.add_with<BroadcastAttributes>(Opcode::kBroadcast, shape, {zero}, [](auto&) {});
}

}  // namespace

StatusOr<ComputationPtr> decompose_scan(const Instruction& scan, std::span<const Shape> operands) {
  const Plan plan = plan_of(scan, operands);
  Emitter e("scan", plan.line);
  Ids carried;
  for (size_t i = 0; i < plan.operands.size(); ++i)
    carried.push_back(e.parameter(plan.operands[i], static_cast<int64_t>(i)));
  Ids results(carried.begin() + static_cast<std::ptrdiff_t>(plan.constants),
              carried.begin() + static_cast<std::ptrdiff_t>(plan.first_xs));
  Ids ys;
  for (const Shape& y : plan.ys) ys.push_back(zeros(e, y));
  if (plan.attributes.length == 0) {  // there is no row to read, not even in a loop that never turns
    results.insert(results.end(), ys.begin(), ys.end());
    return std::move(e).build(e.tuple(results));
  }
  carried.insert(carried.begin(), e.constant(counter_value(plan, 0)));
  carried.insert(carried.end(), ys.begin(), ys.end());
  HILO_ASSIGN_OR_RETURN(const ComputationPtr condition, condition_of(plan));
  HILO_ASSIGN_OR_RETURN(const ComputationPtr body, body_of(plan));
  const InstructionId loop =
      e.add_with<WhileAttributes>(Opcode::kWhile, plan.carried(), {e.tuple(carried)}, [&](auto& w) {
        w.condition = condition;
        w.body = body;
      });
  results.clear();
  for (size_t i = 0; i < plan.carries; ++i)
    results.push_back(e.element(loop, static_cast<int64_t>(1 + plan.constants + i)));
  for (size_t i = 0; i < plan.ys.size(); ++i)
    results.push_back(e.element(loop, static_cast<int64_t>(1 + plan.operands.size() + i)));
  return std::move(e).build(e.tuple(results));
}

}  // namespace hilo::hlo
