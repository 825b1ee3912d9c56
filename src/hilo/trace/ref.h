// SPDX-License-Identifier: Apache-2.0
// trace/ref.h -- refs: values that change. Each staged function sees their state as additional parameters and results.
// Not for users: numpy/ref.h defines the class Ref.
#pragma once

#include "hilo/trace/trace.h"

namespace hilo {

/// The state of a ref. A staged function that uses a ref of an outer trace has its own value of it, until its caller
/// stores the final one: see StagedFunction::written.
struct RefState {
  Shape shape;
  std::optional<Array> value;               ///< in the trace `home`; nullopt: never written
  std::shared_ptr<const TraceRecord> home;  ///< the trace that created the ref
  std::string location;                     ///< the user's line that created it
  bool is_written = false;
  bool is_argument = false;      ///< it stands for an argument of the traced function
  bool is_from_program = false;  ///< a program wrote `value` to new memory
  std::string ended = {};        ///< why it can't be used, "was frozen at train.cc:12"; empty if it can
};

/// A leaf that refers to a state. It has no value: no operation accepts it.
struct RefArray final : TracerOf<RefArray> {
  explicit RefArray(std::shared_ptr<RefState> state);
  std::shared_ptr<RefState> state;
};

/// Returns the ref behind a leaf; null for arrays.
const RefArray* as_ref(const ArrayImpl& leaf);
inline const RefArray* as_ref(const Array& leaf) { return as_ref(leaf.impl()); }
/// Whether both leaves are refs, to one state.
bool is_same_ref(const Array& a, const Array& b);
bool any_ref(std::span<const Array> leaves);
/// Describes a ref for messages: "a ref of f32[3], created at train.cc:12".
std::string describe_ref(const RefArray& ref);
inline std::string describe_ref(const Array& ref) { return describe_ref(*as_ref(ref)); }

/// Creates a ref in the current trace. Without a value, the first read returns zeros.
Array new_ref_leaf(const Shape& shape, std::optional<Array> value);

/// Read and write the whole value in the current trace. `user` begins messages: "get".
/// Errors     FAILED_PRECONDITION if the ref was frozen, or isn't reachable from the current trace; INVALID_ARGUMENT if
///            the value belongs to an inner grad or vmap
Array read_ref(const Array& ref, std::string_view user);
void write_ref(const Array& ref, const Array& value, std::string_view user);
/// Whether the current trace can read and write the ref.
bool is_reachable(const Array& ref);
/// Counts calls with custom rules that use refs, as this thread stages them. A trace during which the number grows is
/// valid as a program, but its derivative isn't that of the function: the rules would write to refs of the trace.
int64_t& staged_ref_rules();
/// Ends a ref. `what` completes "the ref was".
/// Errors     as read_ref; FAILED_PRECONDITION in another trace than that which created it, or for an argument
void end_ref(const Array& ref, std::string_view user, std::string_view what);

/// Replaces refs by their values in the current trace.
std::vector<Array> values_of_refs(std::span<const Array> leaves, std::string_view user);
/// Removes refs from a list; puts those of `leaves` back in their places.
std::vector<Array> without_refs(std::span<const Array> leaves);
std::vector<Array> with_refs_of(std::span<const Array> leaves, std::span<const Array> values);
/// Throws INVALID_ARGUMENT if a leaf is a ref. `hint` ends the message.
void refuse_refs(std::string_view function, std::string_view what, std::span<const Array> leaves,
                 std::string_view hint);
/// Marks the value of a ref as new memory that a program wrote. A later program may overwrite it if nothing else refers
/// to it: see is_only_in_ref.
void mark_from_program(const Array& ref);
/// Whether `value`, a copy of the ref's value, could be overwritten: the ref and the caller alone refer to it.
bool is_only_in_ref(const Array& ref, const Array& value);
/// Whether an array can be used after all traces that are active: it has a value, or is a ref that was created outside
/// of transformations.
bool outlives_traces(const Array& leaf);

/// Refs among the arguments of a function that is traced. Inside of it, local refs replace them.
class RefArguments {
 public:
  /// `function` begins messages. If `mask` isn't empty, only refs among its leaves are replaced.
  /// Errors     INVALID_ARGUMENT if a ref occurs twice
  RefArguments(std::string_view function, std::span<const Array> leaves, const std::vector<bool>& mask = {});

  bool any() const { return !places_.empty(); }
  /// Returns the leaves with refs replaced by their values in the current trace.
  std::vector<Array> values() const;
  /// Returns `values` with a new ref in place of each value of a ref. Called inside of the function.
  std::vector<Array> enter(std::span<const Array> values);
  /// Appends the final values of local refs to the function's results: those that were written, or all.
  void append_final(std::vector<Array>& results, bool only_written = true);
  /// The leaves whose final values were appended last.
  const std::vector<size_t>& appended() const { return appended_; }
  const Array& leaf(size_t i) const { return leaves_[i]; }
  /// Forgets the local refs, which hold tracers.
  void leave() { local_.clear(); }
  /// Writes final values, in the order of appended(), to the refs.
  void write(std::span<const Array> finals) const { write(appended_, finals); }
  void write(std::span<const size_t> leaves, std::span<const Array> finals) const;
  /// Throws INVALID_ARGUMENT if one of the captured refs is also an argument.
  void refuse_captured(std::span<const Array> captures) const;

 private:
  std::string function_;
  std::vector<Array> leaves_;
  std::vector<size_t> places_;  // of the refs
  std::vector<Array> local_;    // one for each place
  std::vector<size_t> appended_;
};

}  // namespace hilo
