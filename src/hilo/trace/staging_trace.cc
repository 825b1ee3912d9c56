// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/staging_trace.h"

#include "hilo/trace/annotations.h"

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

StagingTrace::StagingTrace(Trace* parent, std::string transformation, std::string name, bool closed)
    : Trace(parent, std::move(transformation)), builder_(std::move(name)), closed_(closed) {}

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

hlo::InstructionId StagingTrace::lift(const Array& array) {
  if (owns(array)) return tracer<StagedTracer>(array).id;
  if (const auto it = lifted_.find(array.handle().get()); it != lifted_.end()) return it->second;
  hlo::InstructionId id;
  if (is_concrete(array) && (array.ndim() == 0 || closed_)) {
    id = builder_.constant(array.to_literal());
  } else if (closed_) {
    const auto& stranger = static_cast<const Tracer&>(array.impl());
    throw LeakedTracer(failed_precondition(
        record()->transformation + (record()->location.empty() ? "" : " (" + record()->location + ")") +
        ": a function that is differentiated or batched where it is called closes over a tracer; got " +
        array.aval_shape().to_string() + ", made at " + stranger.location + ", inside " +
        stranger.record->transformation + ". Hint: pass the value as an argument"));
  } else {
    id = builder_.parameter(array.aval_shape());
    capture_ids_.push_back(id);
  }
  lifted_.emplace(array.handle().get(), id);
  captures_.push_back(array);  // also keeps lifted scalars alive, so that their address isn't reused
  return id;
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

StagedFunction StagingTrace::finish(std::span<const Array> results, CapturePlace place, bool always_tuple) && {
  StagedFunction staged;
  std::vector<hlo::InstructionId> ids;
  for (const Array& a : results) {
    staged.results.push_back(a.aval());
    ids.push_back(lift(a));
  }
  const int64_t argument_base = place == CapturePlace::kFirst ? std::ssize(capture_ids_) : 0;
  const int64_t capture_base = place == CapturePlace::kFirst ? 0 : std::ssize(arguments_);
  for (size_t i = 0; i < arguments_.size(); ++i) {
    builder_.renumber_parameter(arguments_[i], argument_base + i);
  }
  for (size_t i = 0; i < capture_ids_.size(); ++i) {
    builder_.renumber_parameter(capture_ids_[i], capture_base + i);
  }
  for (Array& a : captures_) {
    if (!closed_ && !(is_concrete(a) && a.ndim() == 0)) staged.captures.push_back(std::move(a));
  }
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

StagedFunction stage(const FlatFunction& f, std::span<const Aval> arguments, std::string transformation,
                     std::string name, CapturePlace place, bool always_tuple) {
  StagingTrace trace(&current_trace(), std::move(transformation), std::move(name), place == CapturePlace::kNone);
  std::vector<Array> tracers;
  tracers.reserve(arguments.size());
  for (const Aval& aval : arguments) tracers.push_back(trace.add_argument(aval));
  const std::vector<Array> results = call_under(trace, f, tracers);
  return std::move(trace).finish(results, place, always_tuple);
}

}  // namespace hilo
