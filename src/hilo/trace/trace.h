// SPDX-License-Identifier: Apache-2.0
// trace/trace.h -- traces: the receivers of operations that bind() is called with. Not for users.
#pragma once

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "hilo/array/array_impl.h"
#include "hilo/hlo/build/builder.h"

namespace hilo {

class Trace;

/// The part of a trace that tracers refer to and that outlives it. A leaked tracer is thus an error instead of a
/// dangling pointer.
struct TraceRecord {
  Trace* trace;                ///< null once the trace has ended; read only on `thread`
  std::string transformation;  ///< "jit", "vmap", ...
  std::string location;        ///< line of the user's call that started the trace
  std::thread::id thread;      ///< thread of the trace; none for a record without a trace
};

struct Tracer : TracedArray {
  Tracer(std::shared_ptr<const TraceRecord> record, Aval aval)
      : TracedArray(std::move(aval)), record(std::move(record)), location(UserLocation::describe()) {}
  Array value() const final;
  std::shared_ptr<const TraceRecord> record;
  std::string location;  ///< user's line that created the tracer
};

/// Throws unless the tracer's trace is active on this thread. `user` names the function that received the tracer: "add
/// (train.cc:41)".
/// Errors     LeakedTracer; FAILED_PRECONDITION on another thread than that of the trace
void check_live(const Tracer& tracer, std::string_view user);

/// Implements with_weak_type for a tracer type by copying it.
template <typename Derived>
struct TracerOf : Tracer {
  using Tracer::Tracer;
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override {
    auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
    copy->aval.weak_type = weak_type;
    return copy;
  }
};

/// One operation, as bind receives it. Operands and results are flat lists of arrays instead of tuples.
///   while, opt-barrier   operands: the leaves of their one operand
///   conditional          operands: predicate or index, then the operands that every branch takes
///   call, scan           operands: the parameters
struct Operation {
  hlo::Opcode opcode;
  std::vector<Array> operands;
  hlo::AttributesPtr attributes;
  /// The result, for ops whose shape doesn't follow from their operands.
  std::optional<Shape> declared;
};

/// An array on several devices. Its kind determines how operations on it run: mesh/shards.h.
struct SpreadArray : ArrayImpl {
  explicit SpreadArray(Aval aval) : ArrayImpl(Kind::kSpread, std::move(aval)) {}
  /// Precondition: all operands are concrete
  virtual std::vector<Array> run(const Operation& operation) const = 0;
};
/// Whether an array is on several devices.
inline bool any_spread(std::span<const Array> arrays) {
  return std::ranges::any_of(arrays, [](const Array& a) { return a.impl().kind == ArrayImpl::Kind::kSpread; });
}

/// Returns the attributes as their struct.
/// Precondition: T is the struct of the operation's opcode
template <typename T>
const T& attributes_of(const Operation& operation) {
  return static_cast<const T&>(*operation.attributes);
}

/// An axis that vmap or pmap has named.
struct NamedAxis {
  std::string name;
  int64_t size = 0;
  bool operator==(const NamedAxis&) const = default;
};

/// A receiver of operations. Traces nest; `parent` receives operations that a trace doesn't handle itself.
class Trace {
 public:
  Trace(Trace* parent, std::string transformation);
  virtual ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  virtual std::vector<Array> bind(const Operation& operation) = 0;
  /// Returns the value behind one of this trace's tracers (`if (x > 0)` under grad); nullopt if none exists.
  virtual std::optional<Array> value_of(const Tracer& tracer) {
    (void)tracer;
    return std::nullopt;
  }
  /// Returns the axis that operations under this trace may name, if it has one.
  const std::optional<NamedAxis>& named_axis() const { return named_axis_; }
  void name_axis(NamedAxis axis) { named_axis_ = std::move(axis); }

  Trace* parent() const { return parent_; }
  const std::shared_ptr<const TraceRecord>& record() const { return record_; }
  bool owns(const Array& array) const {
    return array.impl().kind == ArrayImpl::Kind::kTracer && static_cast<const Tracer&>(array.impl()).record == record_;
  }
  template <typename T>
  const T& tracer(const Array& array) const {
    return static_cast<const T&>(array.impl());
  }

 private:
  Trace* parent_;
  std::shared_ptr<TraceRecord> mutable_record_;
  std::shared_ptr<const TraceRecord> record_;
  std::optional<NamedAxis> named_axis_;
};

/// Returns the trace that bind() calls on this thread; EvalTrace if no transformation is active.
Trace& current_trace();

/// Returns the named axes around the current trace, the innermost first.
std::vector<NamedAxis> named_axes();

/// Makes `trace` the current one during a scope.
class TraceScope {
 public:
  explicit TraceScope(Trace& trace);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  Trace* previous_;
};

/// Calls `f` with `trace` as the current one.
template <typename F, typename... Args>
auto call_under(Trace& trace, const F& f, Args&&... args) {
  const TraceScope scope(trace);
  return f(std::forward<Args>(args)...);
}

/// Passes an operation to the current trace.
/// Errors     as the op's shape rule; LeakedTracer
std::vector<Array> bind(const Operation& operation);
/// Passes an operation with one result to the current trace.
Array bind_one(hlo::Opcode opcode, std::vector<Array> operands, hlo::AttributesPtr attributes = nullptr,
               std::optional<Shape> declared = std::nullopt);

/// Whether an operation's results are weakly typed: if all operands are that determine the result's type.
/// Source     weak_type_rule of JAX's primitives
bool is_weak_result(hlo::Opcode opcode, std::span<const Array> operands);

/// Returns shape and weak type of every result (leaf) of `operation`.
/// Errors     INVALID_ARGUMENT "add (train.cc:41): operand shapes differ ..."
std::vector<Aval> result_avals(const Operation& operation);
/// Does the same with the operands' shapes instead of arrays.
std::vector<Aval> result_avals(const Operation& operation, std::span<const Shape> operands);

/// Appends `operation` to a builder, with the instructions `operands` as its operands; packs and unpacks tuples.
/// Returns the ids of the result's leaves.
StatusOr<std::vector<hlo::InstructionId>> append_operation(hlo::Builder& builder, const Operation& operation,
                                                           std::span<const hlo::InstructionId> operands);

/// Returns the shape of a single leaf, or a tuple of several or none. The rule for carries, branch operands and
/// function results.
Shape pack_shapes(std::span<const Shape> leaves);
hlo::InstructionId pack(hlo::Builder& builder, std::span<const hlo::InstructionId> leaves);
/// Returns the leaves of a value that is an array or a (nested) tuple.
std::vector<hlo::InstructionId> unpack(hlo::Builder& builder, hlo::InstructionId id);

/// Returns the line in the instruction's annotations.
SourceLine user_line(const hlo::Instruction& instruction);

/// Runs a computation under the current trace, each instruction under its own user line. Arguments are the leaves of
/// its parameters, results the leaves of its root.
std::vector<Array> run_computation(const hlo::Computation& computation, std::span<const Array> arguments);

}  // namespace hilo
