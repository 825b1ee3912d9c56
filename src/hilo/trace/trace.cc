// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/trace.h"

#include <algorithm>

#include "hilo/base/floating_point.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/ref.h"

namespace hilo {
namespace {

thread_local Trace* active_trace = nullptr;

Status with_operation(const Status& status, const Operation& operation) {
  return status.with_context(at_user_line(hlo::opcode_name(operation.opcode)));
}

/// Whether the op takes all its leaves as one operand, a tuple if there are several.
bool takes_one_operand(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kWhile || opcode == hlo::Opcode::kOptimizationBarrier;
}

/// Applies the op's shape rule to the shapes of its HLO operands, as append_operation packs them.
StatusOr<Shape> result_shape(const Operation& operation, std::span<const Shape> leaves) {
  const auto check = [&](std::span<const Shape> operands) {
    return hlo::check_instruction(hlo::op_def(operation.opcode), operands, operation.attributes.get(),
                                  operation.declared);
  };
  if (takes_one_operand(operation.opcode)) {
    const Shape packed = pack_shapes(leaves);
    return check({&packed, 1});
  }
  if (operation.opcode == hlo::Opcode::kConditional) {
    const auto& attributes = static_cast<const hlo::ConditionalAttributes&>(*operation.attributes);
    std::vector<Shape> packed(attributes.branches.size() + 1, pack_shapes(leaves.subspan(1)));
    packed[0] = leaves[0];
    return check(packed);
  }
  return check(leaves);
}

/// Returns the operands whose weak types determine the result's: neither predicates nor indices. A conditional uses the
/// results of its branches instead (lax::cond); random bits have no type to inherit.
std::span<const Array> operands_of_values(hlo::Opcode opcode, std::span<const Array> operands) {
  using hlo::Opcode;
  if (opcode == Opcode::kSelect) return operands.subspan(1);
  if (opcode == Opcode::kDynamicSlice || opcode == Opcode::kGather || opcode == Opcode::kScatter)
    return operands.first(1);
  if (opcode == Opcode::kConditional || opcode == Opcode::kBitcastConvert) return {};
  return operands;
}

[[noreturn]] void refuse_value(const Tracer& tracer) {
  // line of the transformation, for `if (x)`, which passes no location
  const std::string here = UserLocation::describe();
  throw ConcretizationError(failed_precondition(
      "a value was asked of a tracer" + (here.empty() ? "" : " (" + here + ")") + ": " + tracer.record->transformation +
      " made " + tracer.aval.shape.to_string() + " at " +
      (tracer.location.empty() ? tracer.record->location : tracer.location) +
      " without a value. Hint: use where or cond instead of a C++ `if`, or make the argument static"));
}

}  // namespace

Trace::Trace(Trace* parent, std::string transformation)
    : parent_(parent),
      mutable_record_(std::make_shared<TraceRecord>(
          TraceRecord{this, std::move(transformation), UserLocation::describe(), std::this_thread::get_id()})),
      record_(mutable_record_) {}

Trace::~Trace() { mutable_record_->trace = nullptr; }

Trace& current_trace() { return active_trace == nullptr ? eval_trace() : *active_trace; }

TraceScope::TraceScope(Trace& trace) : previous_(active_trace) { active_trace = &trace; }
TraceScope::~TraceScope() { active_trace = previous_; }

void check_live(const Tracer& tracer, std::string_view user) {
  const TraceRecord& record = *tracer.record;
  if (const RefArray* const ref = as_ref(tracer)) {
    or_throw(invalid_argument(std::string(user) + ": got " + describe_ref(*ref) +
                              ", wanted an array. Hint: read its value, ref.get()"));
  }
  const std::string& origin = tracer.location.empty() ? record.location : tracer.location;
  const std::string value = tracer.aval.shape.to_string() + (origin.empty() ? "" : ", made at " + origin) +
                            ", inside " + record.transformation;
  const bool elsewhere = record.thread != std::this_thread::get_id() && record.thread != std::thread::id();
  if (elsewhere) {
    or_throw(failed_precondition(std::string(user) + ": a tracer belongs to the thread of its trace; got " + value +
                                 ", on another thread. Hint: trace on one thread, share arrays and jitted functions"));
  }
  if (record.trace != nullptr) return;
  throw LeakedTracer(failed_precondition("leaked tracer: " + std::string(user) + " was given " + value +
                                         ", which has ended. Hint: return the value from the function instead of "
                                         "storing it outside"));
}

Array Tracer::value() const {
  check_live(*this, "reading a value");
  std::optional<Array> value = record->trace->value_of(*this);
  if (!value) refuse_value(*this);
  return *std::move(value);
}

std::vector<NamedAxis> named_axes() {
  std::vector<NamedAxis> axes;
  for (const Trace* trace = &current_trace(); trace != nullptr; trace = trace->parent()) {
    if (trace->named_axis()) axes.push_back(*trace->named_axis());
  }
  return axes;
}

std::vector<Array> bind(const Operation& operation) {
  for (const Array& a : operation.operands) {
    if (is_concrete(a)) continue;
    const auto& tracer = static_cast<const Tracer&>(a.impl());
    if (tracer.record->thread == std::this_thread::get_id() && tracer.record->trace != nullptr) continue;
    check_live(tracer, at_user_line(hlo::opcode_name(operation.opcode)));
  }
  Trace& trace = current_trace();
  if (&trace == &eval_trace()) return trace.bind(operation);  // a running program rounds to nearest by itself
  const FloatingPointScope nearest;
  return trace.bind(operation);
}

Array bind_one(hlo::Opcode opcode, std::vector<Array> operands, hlo::AttributesPtr attributes,
               std::optional<Shape> declared) {
  std::vector<Array> results = bind({opcode, std::move(operands), std::move(attributes), std::move(declared)});
  return std::move(results.front());
}

bool is_weak_result(hlo::Opcode opcode, std::span<const Array> operands) {
  const std::span<const Array> values = operands_of_values(opcode, operands);
  return !values.empty() && std::ranges::all_of(values, [](const Array& a) { return a.impl().aval.weak_type; });
}

std::vector<Aval> result_avals(const Operation& operation) {
  std::vector<Shape> leaves;
  leaves.reserve(operation.operands.size());
  for (const Array& a : operation.operands) leaves.push_back(a.impl().aval.shape);
  return result_avals(operation, leaves);
}

std::vector<Aval> result_avals(const Operation& operation, std::span<const Shape> operands) {
  const StatusOr<Shape> shape = result_shape(operation, operands);
  if (!shape.ok()) or_throw(with_operation(shape.status(), operation));
  const bool weak = is_weak_result(operation.opcode, operation.operands);
  if (!shape->is_tuple()) return {{*shape, weak}};
  std::vector<Aval> avals;
  for (const Shape& leaf : shape->leaves()) avals.push_back({leaf, weak});
  return avals;
}

Shape pack_shapes(std::span<const Shape> leaves) { return leaves.size() == 1 ? leaves[0] : Shape::tuple(leaves); }

hlo::InstructionId pack(hlo::Builder& builder, std::span<const hlo::InstructionId> leaves) {
  return leaves.size() == 1 ? leaves[0] : builder.tuple(leaves);
}

std::vector<hlo::InstructionId> unpack(hlo::Builder& builder, hlo::InstructionId id) {
  const Shape shape = builder.shape(id);
  if (!shape.is_tuple()) return {id};
  std::vector<hlo::InstructionId> leaves;
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    const hlo::InstructionId element = builder.get_tuple_element(id, i).value();
    for (hlo::InstructionId leaf : unpack(builder, element)) leaves.push_back(leaf);
  }
  return leaves;
}

StatusOr<std::vector<hlo::InstructionId>> append_operation(hlo::Builder& builder, const Operation& operation,
                                                           std::span<const hlo::InstructionId> operands) {
  std::vector<hlo::InstructionId> packed(operands.begin(), operands.end());
  if (takes_one_operand(operation.opcode)) {
    packed = {pack(builder, operands)};
  } else if (operation.opcode == hlo::Opcode::kConditional) {
    const auto& attributes = static_cast<const hlo::ConditionalAttributes&>(*operation.attributes);
    packed.assign(attributes.branches.size() + 1, pack(builder, operands.subspan(1)));
    packed[0] = operands[0];
  }
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId id,
                        builder.add(operation.opcode, packed, operation.attributes, operation.declared));
  return unpack(builder, id);
}

}  // namespace hilo
