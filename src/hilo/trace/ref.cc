// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/ref.h"

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {
namespace {

/// The record of all refs: they belong to no trace.
const std::shared_ptr<const TraceRecord>& ref_record() {
  static const auto* const record = new std::shared_ptr<const TraceRecord>(
      std::make_shared<const TraceRecord>(TraceRecord{nullptr, "ref", "", std::thread::id()}));
  return *record;
}

/// Checks that the ref can be used. Returns the innermost staged function between the current trace and the ref's own;
/// null if the ref was created in it or in no staged function. `on_way` is called with each trace inside of it.
template <typename F>
StagingTrace* frame_of(const Array& ref, std::string_view user, const F& on_way) {
  const RefState& state = *as_ref(ref)->state;
  if (!state.ended.empty())
    throw Error(failed_precondition(at_user_line(user) + ": the ref " + state.ended + "; got " + describe_ref(ref) +
                                    ". Hint: read its value before, or create a new ref"));
  StagingTrace* frame = nullptr;
  for (Trace* trace = &current_trace(); trace != nullptr; trace = trace->parent()) {
    if (trace->record() == state.home) return frame;
    if (frame == nullptr) {
      frame = dynamic_cast<StagingTrace*>(trace);
      if (frame == nullptr) on_way(*trace);
    }
  }
  throw LeakedTracer(failed_precondition(at_user_line(user) + ": leaked ref: got " + describe_ref(ref) + ", inside " +
                                         state.home->transformation +
                                         (state.home->trace == nullptr ? ", which has ended" : ", not in reach here") +
                                         ". Hint: return its value, ref.get(), instead of the ref"));
}

/// Whether values of `owner` may be used in `trace`: it is that trace or an outer one.
bool is_visible(const TraceRecord* owner, const Trace* trace) {
  for (; trace != nullptr; trace = trace->parent()) {
    if (trace->record().get() == owner) return true;
  }
  return false;
}

/// Rejects a value that belongs to a grad, jvp or vmap between the current trace and that which stores it.
void check_owner(const Array& ref, const Array& value, const Trace* owner, std::string_view user) {
  if (is_concrete(value)) return;
  const auto& tracer = static_cast<const Tracer&>(value.impl());
  if (is_visible(tracer.record.get(), owner)) return;
  refuse(user, "got a value that is differentiated, made inside " + tracer.record->transformation + ", for " +
                   describe_ref(ref) +
                   ", outside of it. Hint: write stop_gradient(value), or create the ref inside of the "
                   "differentiated function");
}

}  // namespace

RefArray::RefArray(std::shared_ptr<RefState> state)
    : TracerOf(ref_record(), Aval(state->shape)), state(std::move(state)) {}

const RefArray* as_ref(const ArrayImpl& leaf) {
  if (leaf.kind != ArrayImpl::Kind::kTracer) return nullptr;
  const auto& tracer = static_cast<const Tracer&>(leaf);
  return tracer.record == ref_record() ? static_cast<const RefArray*>(&tracer) : nullptr;
}

bool is_same_ref(const Array& a, const Array& b) {
  const RefArray *first = as_ref(a), *second = as_ref(b);
  return first != nullptr && second != nullptr && first->state == second->state;
}

bool any_ref(std::span<const Array> leaves) {
  return std::ranges::any_of(leaves, [](const Array& leaf) { return as_ref(leaf) != nullptr; });
}

std::string describe_ref(const RefArray& ref) {
  const RefState& state = *ref.state;
  return "a ref of " + state.shape.to_string() + (state.location.empty() ? "" : ", created at " + state.location);
}

Array new_ref_leaf(const Shape& shape, std::optional<Array> value) {
  if (value) value = with_weak_type(*value, false);
  auto state =
      std::make_shared<RefState>(RefState{shape, std::move(value), current_trace().record(), UserLocation::describe()});
  return Array(std::make_shared<RefArray>(std::move(state)));
}

Array read_ref(const Array& ref, std::string_view user) {
  if (StagingTrace* const frame = frame_of(ref, user, [](const Trace&) {})) return frame->read_ref(ref, user);
  RefState& state = *as_ref(ref)->state;
  if (!state.value) state.value = zeros_like_aval({state.shape, false});
  return *state.value;
}

void write_ref(const Array& ref, const Array& value, std::string_view user) {
  StagingTrace* const frame = frame_of(ref, user, [&](const Trace& trace) {
    if (trace.record()->transformation != "vmap") return;
    refuse(user, "a function under vmap can't write to a ref that isn't batched; got " + describe_ref(ref) +
                     ", outside of it. Hint: pass the ref as an argument with a mapped axis");
  });
  RefState& state = *as_ref(ref)->state;
  check_owner(ref, value, frame != nullptr ? frame : state.home->trace, user);
  const Array strong = with_weak_type(value, false);
  if (frame != nullptr) return frame->write_ref(ref, strong, user);
  state.value = strong;
  state.is_written = true;
  state.is_from_program = false;
}

bool is_reachable(const Array& ref) {
  for (const Trace* trace = &current_trace(); trace != nullptr; trace = trace->parent()) {
    if (trace->record() == as_ref(ref)->state->home) return true;
    const auto* const staging = dynamic_cast<const StagingTrace*>(trace);
    if (staging != nullptr && !staging->writes_outer_refs()) return false;
  }
  return false;
}

int64_t& staged_ref_rules() {
  thread_local int64_t count = 0;
  return count;
}

void end_ref(const Array& ref, std::string_view user, std::string_view what) {
  frame_of(ref, user, [](const Trace&) {});
  RefState& state = *as_ref(ref)->state;
  if (current_trace().record() != state.home || state.is_argument)
    throw Error(failed_precondition(at_user_line(user) + ": a ref ends in the function that created it; got " +
                                    describe_ref(ref) + ", inside " + current_trace().record()->transformation +
                                    ". Hint: read the value with ref.get()"));
  const std::string line = UserLocation::describe();
  state.ended = "was " + std::string(what) + (line.empty() ? "" : " at " + line);
  state.value.reset();
}

std::vector<Array> values_of_refs(std::span<const Array> leaves, std::string_view user) {
  std::vector<Array> values;
  for (const Array& leaf : leaves) values.push_back(as_ref(leaf) != nullptr ? read_ref(leaf, user) : leaf);
  return values;
}

std::vector<Array> without_refs(std::span<const Array> leaves) {
  std::vector<Array> values;
  for (const Array& leaf : leaves) {
    if (as_ref(leaf) == nullptr) values.push_back(leaf);
  }
  return values;
}

std::vector<Array> with_refs_of(std::span<const Array> leaves, std::span<const Array> values) {
  std::vector<Array> all;
  size_t next = 0;
  for (const Array& leaf : leaves) all.push_back(as_ref(leaf) != nullptr ? leaf : values[next++]);
  return all;
}

void refuse_refs(std::string_view function, std::string_view what, std::span<const Array> leaves,
                 std::string_view hint) {
  for (const Array& leaf : leaves) {
    if (as_ref(leaf) == nullptr) continue;
    refuse(function, std::string(what) + " can't be a ref; got " + describe_ref(leaf) +
                         ", wanted an array. Hint: " + std::string(hint));
  }
}

void mark_from_program(const Array& ref) { as_ref(ref)->state->is_from_program = true; }

bool is_only_in_ref(const Array& ref, const Array& value) {
  const BufferArray* const placed = on_a_device(value);
  return as_ref(ref)->state->is_from_program && placed != nullptr && value.handle().use_count() == 2 &&
         placed->buffer.use_count() == 1;
}

bool outlives_traces(const Array& leaf) {
  const RefArray* const ref = as_ref(leaf);
  return is_concrete(leaf) || (ref != nullptr && ref->state->home == eval_trace().record());
}

RefArguments::RefArguments(std::string_view function, std::span<const Array> leaves, const std::vector<bool>& mask)
    : function_(function), leaves_(leaves.begin(), leaves.end()) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (as_ref(leaves[i]) == nullptr) continue;
    for (size_t k = 0; k < i; ++k) {
      if (!is_same_ref(leaves[k], leaves[i])) continue;
      refuse(function,
             "a ref can be passed only once, because two arguments would "
             "share its memory; got " +
                 describe_ref(leaves[i]) + ", as argument leaves " + std::to_string(k) + " and " + std::to_string(i) +
                 ". Hint: pass it once, or copies of its value");
    }
    if (mask.empty() || mask[i]) places_.push_back(i);
  }
}

std::vector<Array> RefArguments::values() const {
  std::vector<Array> values = leaves_;
  for (const size_t i : places_) values[i] = read_ref(leaves_[i], function_);
  return values;
}

std::vector<Array> RefArguments::enter(std::span<const Array> values) {
  std::vector<Array> inside(values.begin(), values.end());
  local_.clear();
  for (const size_t i : places_) {
    local_.push_back(new_ref_leaf(values[i].aval_shape(), values[i]));
    RefState& state = *as_ref(local_.back())->state;
    state.location = as_ref(leaves_[i])->state->location;
    state.is_argument = true;
    inside[i] = local_.back();
  }
  return inside;
}

void RefArguments::append_final(std::vector<Array>& results, bool only_written) {
  appended_.clear();
  for (size_t k = 0; k < places_.size(); ++k) {
    if (only_written && !as_ref(local_[k])->state->is_written) continue;
    appended_.push_back(places_[k]);
    results.push_back(read_ref(local_[k], function_));
  }
}

void RefArguments::write(std::span<const size_t> leaves, std::span<const Array> finals) const {
  for (size_t k = 0; k < leaves.size(); ++k) write_ref(leaves_[leaves[k]], finals[k], function_);
}

void RefArguments::refuse_captured(std::span<const Array> captures) const {
  for (const Array& capture : captures) {
    for (const size_t i : places_) {
      if (!is_same_ref(leaves_[i], capture)) continue;
      refuse(function_,
             "a ref can't be both an argument and captured, because both "
             "would share its memory; got " +
                 describe_ref(capture) + ", as argument leaf " + std::to_string(i) +
                 " and captured. Hint: use only the argument inside of the function");
    }
  }
}

}  // namespace hilo
