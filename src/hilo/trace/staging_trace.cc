// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/staging_trace.h"

#include "hilo/trace/annotations.h"
#include "hilo/trace/ref.h"

namespace hilo {
namespace {

thread_local LeakWatch* watching = nullptr;

Array staged_tracer(const std::shared_ptr<const TraceRecord>& record, const Aval& aval, hlo::InstructionId id) {
  auto tracer = std::make_shared<StagedTracer>(record, aval, id);
  if (watching != nullptr) LeakWatch::saw(tracer);
  return Array(std::move(tracer));
}

}  // namespace

LeakWatch::LeakWatch(bool on) : on_(on), outer_(watching) {
  if (on_) watching = this;
}

LeakWatch::~LeakWatch() { watching = outer_; }

void LeakWatch::saw(const std::shared_ptr<const ArrayImpl>& tracer) { watching->seen_.push_back(tracer); }

void LeakWatch::check() const {
  std::string leaks;
  for (const std::weak_ptr<const ArrayImpl>& weak : seen_) {
    const std::shared_ptr<const ArrayImpl> held = weak.lock();
    if (held == nullptr) continue;
    const auto& tracer = static_cast<const Tracer&>(*held);
    leaks += (leaks.empty() ? "" : "; ") + tracer.aval.shape.to_string() +
             (tracer.location.empty() ? "" : ", made at " + tracer.location) + ", inside " +
             tracer.record->transformation;
  }
  if (leaks.empty()) return;
  throw LeakedTracer(failed_precondition(at_user_line("checking_leaks") + ": Leaked trace: values are held although " +
                                         "their trace has ended: " + leaks +
                                         ". Hint: return them from the function instead of storing them outside"));
}

StagingTrace::StagingTrace(Trace* parent, std::string transformation, std::string name, CapturePlace place,
                           OuterRefs refs)
    : Trace(parent, std::move(transformation)),
      builder_(std::move(name)),
      place_(place),
      outer_refs_(place == CapturePlace::kNone ? OuterRefs::kNone : refs) {}

Array StagingTrace::add_argument(const Aval& aval) {
  const hlo::InstructionId id = builder_.parameter(aval.shape);
  arguments_.push_back(id);
  return staged_tracer(record(), aval, id);
}

/// Sets the user's line on instructions. Consecutive instructions of a line share one annotation object.
void StagingTrace::annotate() {
  const SourceLine here = UserLocation::current();
  const std::string& names = NamedScope::current();
  if (annotated_line_ == here.line && annotated_names_ == names && annotated_file_ == here.file) return;
  annotated_names_ = names;
  annotated_file_ = here.file;
  annotated_line_ = here.line;
  builder_.set_annotations(annotations_here());
}

namespace {

constexpr int64_t kMaxSmallElements = 2048;

/// Whether a captured array becomes a constant of the computation. A committed array doesn't, because it selects the
/// device.
bool becomes_constant(const Array& array, CapturePlace place) {
  if (is_concrete(array) && (array.ndim() == 0 || place == CapturePlace::kNone)) return true;
  if (place != CapturePlace::kLastIfLarge) return false;
  const BufferArray* const buffer = on_a_device(array);
  return buffer != nullptr && !buffer->committed && array.size() <= kMaxSmallElements;
}

}  // namespace

hlo::InstructionId StagingTrace::lift(const Array& array) {
  if (owns(array)) return tracer<StagedTracer>(array).id;
  if (const auto it = lifted_.find(array.handle().get()); it != lifted_.end()) return it->second;
  if (as_ref(array) != nullptr) {
    or_throw(invalid_argument(at_user_line(record()->transformation) + ": a traced function can't return a ref; got " +
                              describe_ref(array) + ". Hint: return its value, ref.get()"));
  }
  hlo::InstructionId id;
  if (becomes_constant(array, place_)) {
    id = builder_.constant(array.to_literal());
    constants_.push_back(array);
  } else if (place_ == CapturePlace::kNone) {
    const auto& stranger = static_cast<const Tracer&>(array.impl());
    throw LeakedTracer(failed_precondition(
        record()->transformation + (record()->location.empty() ? "" : " (" + record()->location + ")") +
        ": a function that is differentiated or batched where it is called closes over a tracer; got " +
        array.aval_shape().to_string() + ", made at " + stranger.location + ", inside " +
        stranger.record->transformation + ". Hint: pass the value as an argument"));
  } else {
    id = builder_.parameter(array.aval_shape());
    capture_ids_.push_back(id);
    captures_.push_back(array);
  }
  lifted_.emplace(array.handle().get(), id);
  return id;
}

StagingTrace::RefUse& StagingTrace::use_of(const Array& ref, std::string_view user, OuterRefs needed) {
  if (outer_refs_ < needed) {
    or_throw(failed_precondition(
        at_user_line(user) + ": a function under " + record()->transformation + " can't " +
        (needed == OuterRefs::kWrite && outer_refs_ == OuterRefs::kRead ? "write to" : "use") +
        " a ref that was created outside of it; got " + describe_ref(ref) +
        ". Hint: create the ref inside of the function, or pass its value and return the next one"));
  }
  for (RefUse& use : refs_) {
    if (is_same_ref(use.ref, ref)) return use;
  }
  const Shape& shape = ref.aval_shape();
  const hlo::InstructionId id = builder_.parameter(shape);
  capture_ids_.push_back(id);
  captures_.push_back(ref);
  return refs_.emplace_back(RefUse{ref, staged_tracer(record(), {shape, false}, id)});
}

void StagingTrace::write_ref(const Array& ref, const Array& value, std::string_view user) {
  RefUse& use = use_of(ref, user, OuterRefs::kWrite);
  use.value = value;
  use.written = true;
}

std::vector<Array> StagingTrace::bind(const Operation& operation) {
  annotate();
  const std::vector<Aval> avals = result_avals(operation);
  std::vector<hlo::InstructionId> operands;
  operands.reserve(operation.operands.size());
  for (const Array& a : operation.operands) operands.push_back(lift(a));
  const std::vector<hlo::InstructionId> ids = or_throw(append_operation(builder_, operation, operands));
  std::vector<Array> results;
  results.reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    results.push_back(staged_tracer(record(), avals[i], ids[i]));
  }
  return results;
}

StagedFunction StagingTrace::finish(std::span<const Array> results, bool always_tuple) && {
  StagedFunction staged;
  std::vector<hlo::InstructionId> ids;
  for (const Array& a : results) {
    staged.results.push_back(a.aval());
    ids.push_back(lift(a));
  }
  for (const RefUse& use : refs_) {
    if (!use.written) continue;
    staged.written.push_back(use.ref);
    staged.results.push_back(use.value.aval());
    ids.push_back(lift(use.value));
  }
  const int64_t argument_base = place_ == CapturePlace::kFirst ? std::ssize(capture_ids_) : 0;
  const int64_t capture_base = place_ == CapturePlace::kFirst ? 0 : std::ssize(arguments_);
  for (size_t i = 0; i < arguments_.size(); ++i) {
    builder_.renumber_parameter(arguments_[i], argument_base + i);
  }
  for (size_t i = 0; i < capture_ids_.size(); ++i) {
    builder_.renumber_parameter(capture_ids_[i], capture_base + i);
  }
  staged.captures = std::move(captures_);
  const hlo::InstructionId root = always_tuple ? builder_.tuple(ids) : pack(builder_, ids);
  staged.computation = or_throw(std::move(builder_).build(root));
  return staged;
}

std::vector<Shape> parameter_leaves(const hlo::Computation& computation) {
  std::vector<Shape> leaves;
  for (const Shape& shape : computation.parameter_shapes()) {
    for (const Shape& leaf : shape.leaves()) leaves.push_back(leaf);
  }
  return leaves;
}

std::vector<Aval> parameter_avals(const hlo::Computation& computation) {
  std::vector<Aval> avals;
  for (const Shape& leaf : parameter_leaves(computation)) avals.push_back({leaf, false});
  return avals;
}

namespace {

StagedFunction stage_under(StagingTrace&& trace, const FlatFunction& f, std::span<const Aval> arguments,
                           bool always_tuple) {
  std::vector<Array> tracers;
  tracers.reserve(arguments.size());
  for (const Aval& aval : arguments) tracers.push_back(trace.add_argument(aval));
  const std::vector<Array> results = call_under(trace, f, tracers);
  return std::move(trace).finish(results, always_tuple);
}

}  // namespace

StagedFunction stage(const FlatFunction& f, std::span<const Aval> arguments, std::string transformation,
                     std::string name, CapturePlace place, bool always_tuple) {
  const std::string user = transformation;
  StagedFunction staged =
      stage_under(StagingTrace(&current_trace(), std::move(transformation), std::move(name), place, OuterRefs::kRead),
                  f, arguments, always_tuple);
  if (any_ref(staged.captures)) staged.captures = values_of_refs(staged.captures, user);
  return staged;
}

StagedFunction stage_with_refs(const FlatFunction& f, std::span<const Aval> arguments, std::string transformation,
                               std::string name, CapturePlace place, bool always_tuple) {
  return stage_under(
      StagingTrace(&current_trace(), std::move(transformation), std::move(name), place, OuterRefs::kWrite), f,
      arguments, always_tuple);
}

void write_refs(std::span<const Array> written, std::vector<Array>& results, std::string_view user) {
  const size_t count = results.size() - written.size();
  for (size_t k = 0; k < written.size(); ++k) hilo::write_ref(written[k], results[count + k], user);
  results.resize(count);
}

}  // namespace hilo
