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
  std::vector<Array> captures;  ///< of stage_with_refs: also refs, whose parameters are their values
  std::vector<Aval> results;
  /// Captured refs that the function writes. Their final values are the last results; the caller stores them.
  std::vector<Array> written = {};

  size_t own_result_count() const { return results.size() - written.size(); }
};

/// What a staged function may do with refs that were created outside of it.
enum class OuterRefs : uint8_t { kNone, kRead, kWrite };

/// The position of the parameters for captured values.
enum class CapturePlace : uint8_t {
  kFirst,
  kLast,
  kLastIfLarge,  ///< small arrays become constants: the compiler then knows their elements, and is run again for others
  kNone,  ///< all arrays with values become constants. Capturing a tracer is an error: the computation can be cached
};

/// Stages all operations, including those without operands or with concrete operands. A concrete array or a tracer of
/// an outer trace becomes a captured parameter; a concrete scalar becomes a literal.
class StagingTrace final : public Trace {
 public:
  StagingTrace(Trace* parent, std::string transformation, std::string name, CapturePlace place = CapturePlace::kLast,
               OuterRefs refs = OuterRefs::kNone);

  /// Adds a parameter to the function.
  Array add_argument(const Aval& aval);
  std::vector<Array> bind(const Operation& operation) override;

  /// Returns the instruction of `array` in this trace.
  hlo::InstructionId lift(const Array& array);

  /// Read and write a ref of an outer trace: its value inside of this function.
  /// Errors     FAILED_PRECONDITION if the function can't use outer refs
  Array read_ref(const Array& ref, std::string_view user) { return use_of(ref, user, OuterRefs::kRead).value; }
  void write_ref(const Array& ref, const Array& value, std::string_view user);
  bool writes_outer_refs() const { return outer_refs_ == OuterRefs::kWrite; }

  /// Ends the function. Results are packed (a single leaf isn't put into a tuple), or always a tuple.
  StagedFunction finish(std::span<const Array> results, bool always_tuple = false) &&;

 private:
  /// A ref of an outer trace, and its value in this function.
  struct RefUse {
    Array ref, value;
    bool written = false;
  };
  void annotate();
  RefUse& use_of(const Array& ref, std::string_view user, OuterRefs needed);

  hlo::Builder builder_;
  CapturePlace place_;
  OuterRefs outer_refs_;
  std::vector<RefUse> refs_;
  std::vector<hlo::InstructionId> arguments_;
  std::vector<hlo::InstructionId> capture_ids_;
  std::vector<Array> captures_;   ///< by capture_ids_
  std::vector<Array> constants_;  ///< kept alive, so that their addresses in lifted_ aren't reused
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

/// Traces `f` for arguments of these types. `f` may read refs of outer traces: their values are captured.
/// Errors     FAILED_PRECONDITION for CapturePlace::kNone if `f` captures a tracer, or if `f` writes an outer ref
StagedFunction stage(const FlatFunction& f, std::span<const Aval> arguments, std::string transformation,
                     std::string name, CapturePlace place = CapturePlace::kLast, bool always_tuple = false);

/// Does the same for a function that may write outer refs. The caller replaces refs among the captures by their values
/// (values_of_refs), and stores the final values of the written ones (write_refs).
StagedFunction stage_with_refs(const FlatFunction& f, std::span<const Aval> arguments, std::string transformation,
                               std::string name, CapturePlace place = CapturePlace::kLast, bool always_tuple = false);
/// Stores the last results of a call in the refs that it wrote, and removes them from `results`.
void write_refs(std::span<const Array> written, std::vector<Array>& results, std::string_view user);

}  // namespace hilo
