// SPDX-License-Identifier: Apache-2.0
// trace/staging_trace.h -- the trace that writes operations down: under jit, scan, cond and friends.
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

/// A function written down: a computation, and the outer values that it closes over as further parameters.
struct StagedFunction {
  hlo::ComputationPtr computation;
  std::vector<Array> captures;
  std::vector<Aval> results;
};

/// Where the parameters of captured values go. kNone: there are none. Arrays that have values become constants, and to
/// close over a tracer is an error; so the computation can be kept.
enum class CapturePlace : uint8_t { kFirst, kLast, kNone };

/// Stages everything, also operations without operands or on concrete values. A concrete array or an outer trace's tracer
/// becomes a captured parameter; a concrete scalar becomes a literal.
class StagingTrace final : public Trace {
 public:
  /// `closed`: nothing is captured, as CapturePlace::kNone says.
  StagingTrace(Trace* parent, std::string transformation, std::string name, bool closed = false);

  /// The next parameter of the function.
  Array add_argument(const Aval& aval);
  std::vector<Array> bind(const Operation& operation) override;
  bool is_staging() const override { return true; }

  /// The instruction that stands for `array` here.
  hlo::InstructionId lift(const Array& array);

  /// Ends the function. Results are packed (one leaf stands for itself) or always a tuple.
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

/// While it lives, and is `on`, it knows every tracer that staging makes on this thread.
class LeakWatch {
 public:
  explicit LeakWatch(bool on);
  ~LeakWatch();
  LeakWatch(const LeakWatch&) = delete;
  LeakWatch& operator=(const LeakWatch&) = delete;

  /// Errors    LeakedTracer if one of them is still held by somebody
  void check() const;
  /// Told of each new tracer.
  static void saw(const std::shared_ptr<const ArrayImpl>& tracer);

 private:
  bool on_;
  LeakWatch* outer_;
  std::vector<std::weak_ptr<const ArrayImpl>> seen_;
};

/// Leaves of all parameters of a computation, in order; and the same as types of arguments.
std::vector<Shape> parameter_leaves(const hlo::Computation& computation);
std::vector<Aval> parameter_avals(const hlo::Computation& computation);

/// Traces `f` on arguments of these types.
/// Errors    FAILED_PRECONDITION for CapturePlace::kNone if `f` closes over a tracer
StagedFunction stage(const FlatFunction& f, std::span<const Aval> arguments, std::string transformation,
                     std::string name, CapturePlace place = CapturePlace::kLast, bool always_tuple = false);

}  // namespace hilo
