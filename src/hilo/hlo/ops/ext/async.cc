// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/async.cc -- asynchronous ops. In hilo all ops run in order: a start computes; an update and a done return
// its result.
#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

/// XLA's context of the time between start and done: opaque, always 0 in hilo.
Shape context() { return Shape::scalar(ElementType::kU32); }

Shape row_major(const Shape& shape) { return shape.with_default_layout(); }

StatusOr<ComputationPtr> pass_on_first(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  return std::move(d).finish(d.operand(0));
}

// ---- tokens

Status check_token(const Shape& shape, size_t operand) {
  if (shape.is_token()) return ok_status();
  return invalid_argument(fmt::format("operand {} is {}, wanted a token", operand, shape.to_string()));
}

StatusOr<Shape> infer_after_all(const ShapeRuleInput& input) {
  for (size_t i = 0; i < input.operands.size(); ++i) HILO_RETURN_IF_ERROR(check_token(input.operands[i], i));
  return Shape::token();
}

StatusOr<Literal> evaluate_after_all(const EvaluateInput&) { return Literal(Shape::token()); }

StatusOr<Shape> infer_add_dependency(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_token(input.operands[1], 1));
  return row_major(input.operands[0]);
}

// ---- copies

StatusOr<Shape> infer_copy_start(const ShapeRuleInput& input) {
  const Shape x = row_major(input.operands[0]);
  return Shape::tuple({x, x, context()});
}

StatusOr<ComputationPtr> decompose_copy_start(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  const Expr x = d.operand(0);
  return std::move(d).finish(tuple(d, {x, x, d.constant(Literal(context()))}));
}

/// Checks that the operand is a tuple of at least `least` elements.
Status check_started(const Shape& operand, int64_t least, std::string_view by) {
  if (operand.is_tuple() && operand.tuple_size() >= least) return ok_status();
  return invalid_argument(fmt::format("the operand is {}, wanted the result of {}: a tuple of at least {} elements",
                                      operand.to_string(), by, least));
}

StatusOr<Shape> infer_copy_done(const ShapeRuleInput& input) {
  const Shape& started = input.operands[0];
  HILO_RETURN_IF_ERROR(check_started(started, 3, "copy-start"));
  if (!started.tuple_element(0).compatible(started.tuple_element(1))) {
    return invalid_argument(
        fmt::format("the operand is {}; copy-start returns its operand's shape twice", started.to_string()));
  }
  return row_major(started.tuple_element(0));
}

template <int64_t kIndex>
StatusOr<ComputationPtr> pass_on_element(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  return std::move(d).finish(element(d.operand(0), kIndex));
}

// ---- async

constexpr std::string_view kStart = "-start";

/// Returns the computation that an async-start runs; null if it is written as the start of a single op: add-start.
StatusOr<ComputationPtr> wrapped_computation(const RawAttributes& raw) {
  if (raw.spelled.empty() || raw.spelled == "call-start") {
    if (raw.called.size() == 1) return raw.called[0];
    return invalid_argument(fmt::format("calls: got {} computations, wanted one", raw.called.size()));
  }
  return ComputationPtr();
}

/// Returns the op that `add-start` starts.
/// Errors    UNIMPLEMENTED for ops with attributes
StatusOr<Opcode> wrapped_opcode(const RawAttributes& raw) {
  const std::string_view name = std::string_view(raw.spelled).substr(0, raw.spelled.size() - kStart.size());
  const std::optional<Opcode> opcode = opcode_from_name(name);
  const bool only_thread =
      std::ranges::all_of(raw.raw, [](const std::string& text) { return text.starts_with("async_execution_thread="); });
  if (opcode && only_thread && raw.called.empty() && op_def(*opcode).attributes.make == nullptr) return *opcode;
  return unimplemented(
      fmt::format("{}: the short form is not supported for ops with attributes. Hint: write async-start and a "
                  "computation of the op",
                  raw.spelled));
}

StatusOr<Shape> infer_wrapped(const ShapeRuleInput& input, const RawAttributes& raw) {
  HILO_ASSIGN_OR_RETURN(const ComputationPtr called, wrapped_computation(raw));
  if (called != nullptr) {
    HILO_RETURN_IF_ERROR(check_called("calls", called, input.operands, called->result_shape()));
    return row_major(called->result_shape());
  }
  if (input.declared == nullptr || !input.declared->is_tuple() || input.declared->tuple_size() < 2)
    return invalid_argument(fmt::format("{}: the result must be stated as ((operands), result, ...)", raw.spelled));
  return row_major(input.declared->tuple_element(1));
}

/// Returns ((operands), result, contexts); contexts are one u32[] unless the program states others.
StatusOr<Shape> infer_async_start(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, infer_wrapped(input, attributes_of<RawAttributes>(input)));
  std::vector<Shape> elements = {row_major(Shape::tuple(input.operands)), result};
  if (input.declared == nullptr || !input.declared->is_tuple()) {
    elements.push_back(context());
  } else {
    for (int64_t k = 2; k < input.declared->tuple_size(); ++k) {
      const Shape& stated = input.declared->tuple_element(k);
      if (!stated.is_scalar())
        return invalid_argument(fmt::format("element {} of the result is {}, wanted a scalar", k, stated.to_string()));
      elements.push_back(row_major(stated));
    }
  }
  return Shape::tuple(elements);
}

StatusOr<ComputationPtr> decompose_async_start(const Instruction& i, std::span<const Shape> operands) {
  const auto& raw = attributes_of<RawAttributes>(i);
  HILO_ASSIGN_OR_RETURN(const ComputationPtr called, wrapped_computation(raw));
  Decomposition d(i, operands);
  Expr result;
  if (called != nullptr) {
    result = call(d, called, d.operands());
  } else {
    HILO_ASSIGN_OR_RETURN(const Opcode opcode, wrapped_opcode(raw));
    result = d.add(opcode, d.operands(), nullptr, i.shape.tuple_element(1));
  }
  Exprs elements = {tuple(d, d.operands()), result};
  for (int64_t k = 2; k < i.shape.tuple_size(); ++k)
    elements.push_back(d.constant(Literal(row_major(i.shape.tuple_element(k)))));
  return std::move(d).finish(tuple(d, elements));
}

Status check_async(const Shape& operand) {
  HILO_RETURN_IF_ERROR(check_started(operand, 2, "async-start"));
  if (operand.tuple_element(0).is_tuple()) return ok_status();
  return invalid_argument(
      fmt::format("the operand is {}, wanted ((operands), result, ...) as async-start returns", operand.to_string()));
}

StatusOr<Shape> infer_async_update(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_async(input.operands[0]));
  return row_major(input.operands[0]);
}

StatusOr<Shape> infer_async_done(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_async(input.operands[0]));
  return row_major(input.operands[0].tuple_element(1));
}

// ---- collectives

StatusOr<Shape> infer_started(Opcode opcode, const ShapeRuleInput& input, const Shape* declared) {
  return op_def(opcode).infer_shape({input.operands, input.attributes, declared});
}

StatusOr<Shape> infer_all_reduce_start(const ShapeRuleInput& input) {
  return infer_started(Opcode::kAllReduce, input, input.declared);
}

/// Returns the result of a collective's done, whose start returns (operand, result, ...).
const Shape* declared_result(const ShapeRuleInput& input) {
  const bool stated = input.declared != nullptr && input.declared->is_tuple() && input.declared->tuple_size() >= 2;
  return stated ? &input.declared->tuple_element(1) : nullptr;
}

Shape operand_part(const ShapeRuleInput& input) { return row_major(one_or_tuple(input.operands)); }

StatusOr<Shape> infer_all_gather_start(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, infer_started(Opcode::kAllGather, input, declared_result(input)));
  return Shape::tuple({operand_part(input), result});
}

/// Returns (operand, result) with the stated u32[] contexts: none or two.
StatusOr<Shape> infer_collective_permute_start(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape result, infer_started(Opcode::kCollectivePermute, input, nullptr));
  const bool bare = input.declared != nullptr && input.declared->is_tuple() && input.declared->tuple_size() == 2;
  if (bare) return Shape::tuple({operand_part(input), result});
  return Shape::tuple({operand_part(input), result, context(), context()});
}

template <Opcode kOpcode>
StatusOr<ComputationPtr> decompose_start(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  const bool paired = kOpcode != Opcode::kAllReduce;
  const Shape result = paired ? i.shape.tuple_element(1) : i.shape;
  Expr root = d.add(kOpcode, d.operands(), i.attributes, row_major(result));
  if (paired) {
    const Expr from = operands.size() == 1 ? d.operand(0) : tuple(d, d.operands());
    Exprs elements = {from, root};
    for (int64_t k = 2; k < i.shape.tuple_size(); ++k) elements.push_back(d.constant(Literal(context())));
    root = tuple(d, elements);
  }
  return std::move(d).finish(root);
}

StatusOr<Shape> infer_same(const ShapeRuleInput& input) { return row_major(input.operands[0]); }

StatusOr<Shape> infer_second(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_started(input.operands[0], 2, "the start"));
  return row_major(input.operands[0].tuple_element(1));
}

// ---- definitions

OpDef plain_def(Opcode opcode, std::string_view name, int arity, StatusOr<Shape> (*infer)(const ShapeRuleInput&),
                StatusOr<ComputationPtr> (*decompose)(const Instruction&, std::span<const Shape>),
                OpSharding sharding = kUnshared) {
  return {.opcode = opcode,
          .name = name,
          .arity = arity,
          .operand_types = kAnyType,
          .traits = kEffect,  // a start without its done must not remain
          .cost = CostClass::kFree,
          .sharding = sharding,
          .infer_shape = infer,
          .decompose = decompose,
          .spec = "async"};
}

OpDef raw_def(Opcode opcode, std::string_view name, int arity, StatusOr<Shape> (*infer)(const ShapeRuleInput&),
              StatusOr<ComputationPtr> (*decompose)(const Instruction&, std::span<const Shape>)) {
  OpDef def = plain_def(opcode, name, arity, infer, decompose);
  def.attributes = attributes_def<RawAttributes>(raw_fields());
  return def;
}

/// Returns the definition of a collective's start, with the same attributes.
OpDef started_def(const OpDef& started, Opcode opcode, std::string_view name,
                  StatusOr<Shape> (*infer)(const ShapeRuleInput&),
                  StatusOr<ComputationPtr> (*decompose)(const Instruction&, std::span<const Shape>),
                  OpSharding sharding) {
  OpDef def = started;
  def.opcode = opcode;
  def.name = name;
  def.sharding = sharding;
  def.infer_shape = infer;
  def.evaluate = nullptr;
  def.decompose = decompose;
  return def;
}

}  // namespace

HILO_DEFINE_OP(after_all_op, [] {
  OpDef def = plain_def(Opcode::kAfterAll, "after-all", -1, infer_after_all, nullptr);
  def.traits = kNoTraits;
  def.evaluate = evaluate_after_all;
  def.spec = "after_all";
  return def;
}())

HILO_DEFINE_OP(add_dependency_op,
               plain_def(Opcode::kAddDependency, "add-dependency", 2, infer_add_dependency, pass_on_first))
HILO_DEFINE_OP(copy_start_op, raw_def(Opcode::kCopyStart, "copy-start", 1, infer_copy_start, decompose_copy_start))
HILO_DEFINE_OP(copy_done_op, plain_def(Opcode::kCopyDone, "copy-done", 1, infer_copy_done, pass_on_element<0>))

/// async-start and XLA's forms `call-start`, `add-start` of it. RawAttributes.
HILO_DEFINE_OP(async_start_op,
               raw_def(Opcode::kAsyncStart, "async-start", -1, infer_async_start, decompose_async_start))
HILO_DEFINE_OP(async_update_op, raw_def(Opcode::kAsyncUpdate, "async-update", 1, infer_async_update, pass_on_first))
HILO_DEFINE_OP(async_done_op, raw_def(Opcode::kAsyncDone, "async-done", 1, infer_async_done, pass_on_element<1>))
HILO_DEFINE_OP(all_reduce_start_op,
               started_def(all_reduce_op(), Opcode::kAllReduceStart, "all-reduce-start", infer_all_reduce_start,
                           decompose_start<Opcode::kAllReduce>, kPointwiseWhole))
HILO_DEFINE_OP(all_reduce_done_op,
               plain_def(Opcode::kAllReduceDone, "all-reduce-done", 1, infer_same, pass_on_first, kPointwiseWhole))
HILO_DEFINE_OP(all_gather_start_op, started_def(all_gather_op(), Opcode::kAllGatherStart, "all-gather-start",
                                                infer_all_gather_start, decompose_start<Opcode::kAllGather>, kUnshared))
HILO_DEFINE_OP(all_gather_done_op,
               plain_def(Opcode::kAllGatherDone, "all-gather-done", 1, infer_second, pass_on_element<1>))
HILO_DEFINE_OP(collective_permute_start_op,
               started_def(collective_permute_op(), Opcode::kCollectivePermuteStart, "collective-permute-start",
                           infer_collective_permute_start, decompose_start<Opcode::kCollectivePermute>, kUnshared))
HILO_DEFINE_OP(collective_permute_done_op, plain_def(Opcode::kCollectivePermuteDone, "collective-permute-done", 1,
                                                     infer_second, pass_on_element<1>))

}  // namespace hilo::hlo
