// SPDX-License-Identifier: Apache-2.0
// trace/trace.h -- traces: who receives an operation when bind() is called. Not for users.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <thread>

#include "hilo/device/buffer.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/trace/array.h"

namespace hilo {

class Trace;

/// What an Array handle points to.
struct ArrayImpl {
  /// kSharded: trace/shards.h
  enum class Kind : uint8_t { kConcrete, kNumber, kTracer, kSharded };
  ArrayImpl(Kind kind, Aval aval) : kind(kind), aval(aval) {}
  virtual ~ArrayImpl() = default;
  /// The same value with another weak bit.
  virtual std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const = 0;
  Kind kind;
  Aval aval;
};

/// An array on a device.
struct ConcreteArray final : ArrayImpl {
  ConcreteArray(BufferPtr buffer, bool weak_type, bool committed = false)
      : ArrayImpl(Kind::kConcrete, {buffer->shape(), weak_type}), buffer(std::move(buffer)), committed(committed) {}
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override {
    return std::make_shared<ConcreteArray>(buffer, weak_type, committed);
  }
  BufferPtr buffer;
  bool committed;  ///< device_put() said where it is; what is computed with it is computed there
};

/// A number that stays on the host until a device asks for it.
struct HostNumber final : ArrayImpl {
  /// Precondition: `bytes` are one element of the type.
  HostNumber(ElementType type, std::span<const std::byte> bytes, bool weak_type);
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override;
  Literal literal() const;
  /// A new buffer with the number.
  /// Errors    throws RESOURCE_EXHAUSTED
  BufferPtr new_on(const DevicePtr& device) const;
  /// A buffer that is kept as long as the number; null if another device was the first to ask, or another thread is just
  /// asking.
  /// Errors    throws RESOURCE_EXHAUSTED
  const BufferPtr* kept_on(const DevicePtr& device) const;

  std::array<std::byte, 16> bytes;

 private:
  enum Asked : uint8_t { kNobody, kNow, kKept };
  mutable std::atomic<Asked> asked_{kNobody};
  mutable BufferPtr kept_;
};

/// What remains of a trace for the tracers that outlive it, so that a leak is an error and no dangling pointer.
struct TraceRecord {
  Trace* trace;                ///< null once the trace has ended; only `thread` may look
  std::string transformation;  ///< "jit", "vmap", ...
  std::string location;        ///< of the user's call that began the trace
  std::thread::id thread;      ///< that the trace runs on; none for a record that never had a trace
};

struct Tracer : ArrayImpl {
  Tracer(std::shared_ptr<const TraceRecord> record, Aval aval)
      : ArrayImpl(Kind::kTracer, aval), record(std::move(record)), location(UserLocation::describe()) {}
  std::shared_ptr<const TraceRecord> record;
  std::string location;  ///< of the user's line that made the tracer
};

/// Throws unless the tracer's trace is running, on this thread. `user` says who was given the tracer: "add (train.cc:41)".
/// Errors    LeakedTracer; FAILED_PRECONDITION on another thread than that of the trace
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

/// One operation as bind sees it. Tuples don't exist here: operands and results are flat lists of arrays.
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

/// The attributes as their struct. Precondition: T is the struct of the operation's opcode.
template <typename T>
const T& attributes_of(const Operation& operation) {
  return static_cast<const T&>(*operation.attributes);
}

/// An axis that vmap or pmap gave a name.
struct NamedAxis {
  std::string name;
  int64_t size = 0;
  bool operator==(const NamedAxis&) const = default;
};

/// Where operations go. Traces nest; `parent` receives what a trace doesn't handle itself.
class Trace {
 public:
  Trace(Trace* parent, std::string transformation);
  virtual ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  virtual std::vector<Array> bind(const Operation& operation) = 0;
  /// The value behind one of this trace's tracers where there is one (`if (x > 0)` under grad), else nullopt.
  virtual std::optional<Array> value_of(const Tracer& tracer) {
    (void)tracer;
    return std::nullopt;
  }
  /// Stages what it is given (jit, scan): no values are to be had.
  virtual bool is_staging() const { return false; }

  /// The axis that operations under this trace may name, if it has one.
  const std::optional<NamedAxis>& named_axis() const { return named_axis_; }
  void name_axis(NamedAxis axis) { named_axis_ = std::move(axis); }

  Trace* parent() const { return parent_; }
  const std::shared_ptr<const TraceRecord>& record() const { return record_; }
  /// Is `array` a tracer of this trace?
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

/// The trace that bind() asks on this thread; EvalTrace if no transformation is active.
Trace& current_trace();

/// The named axes around the current trace, the innermost first.
std::vector<NamedAxis> named_axes();

/// Makes `trace` current for a scope.
class TraceScope {
 public:
  explicit TraceScope(Trace& trace);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  Trace* previous_;
};

/// Hands an operation to the current trace.
/// Errors    as the op's shape rule; LeakedTracer
std::vector<Array> bind(const Operation& operation);
/// The same for an operation with one result.
Array bind_one(hlo::Opcode opcode, std::vector<Array> operands, hlo::AttributesPtr attributes = nullptr,
               std::optional<Shape> declared = std::nullopt);

/// Whether an operation's results are weakly typed: if all operands are whose values become theirs.
/// Source    weak_type_rule of JAX's primitives
bool is_weak_result(hlo::Opcode opcode, std::span<const Array> operands);

/// Shape and weak type of every result (leaf) that `operation` would have.
/// Errors    INVALID_ARGUMENT "add (train.cc:41): operand shapes differ ..."
std::vector<Aval> result_avals(const Operation& operation);
/// The same where the operands' shapes are known but no arrays.
std::vector<Aval> result_avals(const Operation& operation, std::span<const Shape> operands);

/// Appends `operation` to a builder whose instructions `operands` stand for its operands; packs and unpacks tuples.
/// Returns    the ids of the result's leaves
StatusOr<std::vector<hlo::InstructionId>> append_operation(hlo::Builder& builder, const Operation& operation,
                                                           std::span<const hlo::InstructionId> operands);

/// One leaf stands for itself; any other number is a tuple. The rule for carries, branch operands and function results.
Shape pack_shapes(std::span<const Shape> leaves);
hlo::InstructionId pack(hlo::Builder& builder, std::span<const hlo::InstructionId> leaves);
/// The leaves of a value that is an array or a (nested) tuple.
std::vector<hlo::InstructionId> unpack(hlo::Builder& builder, hlo::InstructionId id);

/// The line that the instruction carries.
SourceLine user_line(const hlo::Instruction& instruction);

/// Runs a computation under the current trace, each instruction under its own user line: parameters are the leaves of its parameters, results the leaves of its root.
std::vector<Array> run_computation(const hlo::Computation& computation, std::span<const Array> arguments);

/// Has a value, on a device or on the host.
inline bool is_concrete(const Array& array) { return array.impl().kind != ArrayImpl::Kind::kTracer; }
/// The array behind tracers that know their value.
/// Errors    ConcretizationError
Array concrete_value(Array array);
/// The value on the host, waiting for it if need be. Precondition: is_concrete(array).
/// Errors    throws INVALID_ARGUMENT if donated or deleted; the error of the run that was to make it
Literal literal_of(const Array& array);
Array array_from_buffer(BufferPtr buffer, bool weak_type = false, bool committed = false);
/// The same value with the weak bit set as wanted; tracers included.
Array with_weak_type(const Array& array, bool weak_type);

}  // namespace hilo
