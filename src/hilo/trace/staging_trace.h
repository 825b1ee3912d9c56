// SPDX-License-Identifier: Apache-2.0
// trace/staging_trace.h -- the trace that records operations in a computation: under jit, scan, cond and similar.
#pragma once

#include <unordered_map>

#include "hilo/trace/flat_function.h"
#include "hilo/trace/trace.h"

namespace hilo {

struct StagedTracer final : TracerOf<StagedTracer> {
  StagedTracer(std::shared_ptr<const TraceRecord> record, Aval aval, hlo::InstructionId id)
      : TracerOf(std::move(record), aval), id(id) {}
  hlo::InstructionId id;
};

/// A staged function: a computation, and the captured outer values, which are additional parameters.
struct StagedFunction {
  hlo::ComputationPtr computation;
  std::vector<Array> captures;
  std::vector<Aval> results;
};

/// The position of the parameters for captured values. kNone: arrays with values become constants, and capturing a
/// tracer is an error, so that the computation can be cached.
enum class CapturePlace : uint8_t { kFirst, kLast, kNone };

/// Stages all operations, including those without operands or with concrete operands. A concrete array or a tracer of
/// an outer trace becomes a captured parameter; a concrete scalar becomes a literal.
class StagingTrace final : public Trace {
 public:
  /// `closed`: nothing is captured, as for CapturePlace::kNone.
  StagingTrace(Trace* parent, std::string transformation, std::string name, bool closed = false);

  /// Adds a parameter to the function.
  Array add_argument(const Aval& aval);
  std::vector<Array> bind(const Operation& operation) override;

  /// Returns the instruction of `array` in this trace.
  hlo::InstructionId lift(const Array& array);

  /// Ends the function. Results are packed (a single leaf isn't put into a tuple), or always a tuple.
  StagedFunction finish(std::span<const Array> results, CapturePlace place, bool always_tuple = false) &&;

 private:
  void annotate();

  hlo::Builder builder_;
  bool closed_;
  std::vector<hlo::InstructionId> arguments_;
  std::vector<hlo::InstructionId> capture_ids_;
  std::vector<Array> captures_;
  std::unordered_map<const ArrayImpl*, hlo::InstructionId> lifted_;
  std::string annotated_file_, annotated_names_;
  int64_t annotated_line_ = 0;
};

/// If `on`, tracks all tracers that staging creates on this thread during its lifetime.
class LeakWatch {
 public:
  explicit LeakWatch(bool on);
  ~LeakWatch();
  LeakWatch(const LeakWatch&) = delete;
  LeakWatch& operator=(const LeakWatch&) = delete;

  /// Checks that no tracer is still referenced.
  /// Errors     LeakedTracer
  void check() const;
  /// Registers a new tracer.
  static void saw(const std::shared_ptr<const ArrayImpl>& tracer);

 private:
  bool on_;
  LeakWatch* outer_;
  std::vector<std::weak_ptr<const ArrayImpl>> seen_;
};

/// Return the leaves of all parameters of a computation, in order: as shapes, and as types of arguments.
std::vector<Shape> parameter_leaves(const hlo::Computation& computation);
std::vector<Aval> parameter_avals(const hlo::Computation& computation);

/// Traces `f` for arguments of these types.
/// Errors     FAILED_PRECONDITION for CapturePlace::kNone if `f` captures a tracer
StagedFunction stage(const FlatFunction& f, std::span<const Aval> arguments, std::string transformation,
                     std::string name, CapturePlace place = CapturePlace::kLast, bool always_tuple = false);

}  // namespace hilo
