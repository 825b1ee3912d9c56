// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/check_state.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/memo.h"

namespace hilo::checkify {
namespace {

Array code_of(size_t place) { return ops::scalar(static_cast<double>(place), ElementType::kS32); }

std::vector<Shape> shapes_of(std::span<const Array> arrays) {
  std::vector<Shape> shapes;
  for (const Array& a : arrays) shapes.push_back(a.aval_shape());
  return shapes;
}

/// Selects between arrays of any shape by the scalar `pred`.
Array choose(const Array& pred, const Array& a, const Array& b) {
  const Shape mask = a.aval_shape().with_element_type(ElementType::kPred);
  return ops::select(a.ndim() == 0 ? pred : ops::broadcast_in_dim(pred, mask, {}), a, b);
}

}  // namespace

void CheckPlaces::append(const CheckPlaces& other) {
  messages.insert(messages.end(), other.messages.begin(), other.messages.end());
  lines.insert(lines.end(), other.lines.begin(), other.lines.end());
  payload.insert(payload.end(), other.payload.begin(), other.payload.end());
}

std::vector<Shape> CheckPlaces::leaf_shapes() const {
  if (none()) return {};
  std::vector<Shape> shapes = {Shape::scalar(ElementType::kPred), Shape::scalar(ElementType::kS32)};
  for (const std::vector<Shape>& of_place : payload) shapes.insert(shapes.end(), of_place.begin(), of_place.end());
  return shapes;
}

CheckState CheckState::from_leaves(const CheckPlaces& places, std::span<const Array> leaves) {
  CheckState state;
  state.places_ = places;
  if (places.none()) return state;
  state.failed_ = leaves[0];
  state.code_ = leaves[1];
  size_t next = 2;
  for (const std::vector<Shape>& of_place : places.payload) {
    const auto begin = leaves.begin() + next;
    state.payload_.emplace_back(begin, begin + std::ssize(of_place));
    next += of_place.size();
  }
  return state;
}

CheckState CheckState::nothing_at(const CheckPlaces& places) {
  std::vector<Array> leaves;
  for (const Shape& shape : places.leaf_shapes()) leaves.push_back(zeros_like_aval({shape, false}));
  return from_leaves(places, leaves);
}

std::vector<Array> CheckState::leaves() const {
  if (places_.none()) return {};
  std::vector<Array> all = {*failed_, *code_};
  for (const std::vector<Array>& of_place : payload_) all.insert(all.end(), of_place.begin(), of_place.end());
  return all;
}

void CheckState::add(const Array& failed, std::vector<Array> payload, std::string message) {
  CheckState one;
  one.places_ = {{std::move(message)}, {UserLocation::describe()}, {shapes_of(payload)}};
  one.failed_ = failed;
  one.code_ = code_of(0);
  one.payload_ = {std::move(payload)};
  append(one);
}

void CheckState::append(const CheckState& later) {
  if (later.places_.none()) return;
  if (places_.none()) {
    *this = later;
    return;
  }
  const Array moved = ops::add(*later.code_, code_of(places_.messages.size()));
  code_ = ops::select(*failed_, *code_, moved);
  failed_ = ops::bitwise_or(*failed_, *later.failed_);
  places_.append(later.places_);
  payload_.insert(payload_.end(), later.payload_.begin(), later.payload_.end());
}

CheckState CheckState::first_of(const CheckState& earlier, const CheckState& later) {
  CheckState first = earlier;
  if (first.places_.none()) return first;
  const Array& before = *earlier.failed_;
  first.code_ = ops::select(before, *earlier.code_, *later.code_);
  for (size_t i = 0; i < first.payload_.size(); ++i) {
    for (size_t k = 0; k < first.payload_[i].size(); ++k)
      first.payload_[i][k] = choose(before, earlier.payload_[i][k], later.payload_[i][k]);
  }
  first.failed_ = ops::bitwise_or(before, *later.failed_);
  return first;
}

Error CheckState::error() const {
  Error error;
  if (places_.none()) return error;
  error.failed_ = *failed_;
  error.code_ = *code_;
  error.payload_ = payload_;
  error.messages_ = places_.messages;
  error.lines_ = places_.lines;
  return error;
}

std::vector<Array> CheckifyTrace::bind(const Operation& operation) {
  const TraceScope scope(*parent());
  if (std::optional<std::vector<Array>> results = bind_checked_calls(operation, errors_, state_))
    return *std::move(results);
  return bind_checked_op(operation, errors_, state_);
}

int64_t held_bytes(const CheckedComputation& checked) { return hlo::held_bytes(checked.computation); }

CheckedComputation checked_computation(const hlo::ComputationPtr& computation, ErrorSet errors) {
  static ComputationMemo<CheckedComputation, uint8_t> memo;
  return memo.get(computation, errors.bits, [&] {
    CheckedComputation checked;
    const FlatFunction both = [&](std::span<const Array> arguments) {
      CheckifyTrace trace(&current_trace(), errors);
      std::vector<Array> out = call_under(trace, run_computation, *computation, arguments);
      checked.result_count = out.size();
      checked.places = trace.state().places();
      for (const Array& a : trace.state().leaves()) out.push_back(a);
      return out;
    };
    checked.computation = stage(both, parameter_avals(*computation), "checkify", computation->name() + ".checked",
                                CapturePlace::kNone, /*always_tuple=*/true)
                              .computation;
    return checked;
  });
}

bool is_check(const Operation& operation) {
  if (operation.opcode != hlo::kExtCustomRules) return false;
  const std::string& rules = attributes_of<hlo::CustomRulesAttributes>(operation).rules;
  return rules == kCheck || rules == kDebugCheck;
}

void refuse_checks(const hlo::ComputationPtr& computation) {
  for (const hlo::ComputationPtr& c : hlo::computations_of(computation)) {
    for (const hlo::Instruction& i : c->instructions()) {
      if (i.opcode != hlo::kExtCustomRules) continue;
      if (hlo::attributes_of<hlo::CustomRulesAttributes>(i).rules != kCheck) continue;
      const InstructionLocation here(user_line(i));
      or_throw(invalid_argument(at_user_line("check") +
                                ": Cannot abstractly evaluate a checkify.check which was not functionalized. This "
                                "probably means you tried to stage (jit/scan/pmap/...) a `check` without "
                                "functionalizing it through `checkify::checkify`"));
    }
  }
}

}  // namespace hilo::checkify
