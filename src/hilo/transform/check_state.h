// SPDX-License-Identifier: Apache-2.0
// transform/check_state.h -- the state of checkify: the places that can fail, and the first that did. Not for users.
#pragma once

#include "hilo/trace/trace.h"
#include "hilo/transform/checkify.h"

namespace hilo::checkify {

/// The places that can fail, without values.
struct CheckPlaces {
  std::vector<std::string> messages, lines;
  std::vector<std::vector<Shape>> payload;

  bool none() const { return messages.empty(); }
  void append(const CheckPlaces& other);
  /// Returns the shapes of CheckState::leaves().
  std::vector<Shape> leaf_shapes() const;
};

/// Places, and arrays that specify which failed first. Codes are indices of places.
class CheckState {
 public:
  CheckState() = default;
  /// Returns the state without a failure. It has all arrays nevertheless, as a loop's first carry must.
  static CheckState nothing_at(const CheckPlaces& places);
  /// Creates a state from leaves().
  static CheckState from_leaves(const CheckPlaces& places, std::span<const Array> leaves);

  /// Adds a place, which has failed if the scalar `failed` is true.
  void add(const Array& failed, std::vector<Array> payload, std::string message);
  /// Appends the places of `later`, which ran afterwards.
  void append(const CheckState& later);
  /// Returns the earlier of two states of the same places if it has failed, else the later.
  static CheckState first_of(const CheckState& earlier, const CheckState& later);

  const CheckPlaces& places() const { return places_; }
  /// Returns `failed`, `code` and all payload arrays.
  std::vector<Array> leaves() const;
  Error error() const;

 private:
  CheckPlaces places_;
  std::optional<Array> failed_;  // none: there is no place
  std::optional<Array> code_;
  std::vector<std::vector<Array>> payload_;
};

/// Functionalises checks: converts them to values, and checks other operations as `errors` specifies. Values need no
/// tracers.
class CheckifyTrace final : public Trace {
 public:
  CheckifyTrace(Trace* parent, ErrorSet errors) : Trace(parent, "checkify"), errors_(errors) {}
  std::vector<Array> bind(const Operation& operation) override;

  ErrorSet errors() const { return errors_; }
  const CheckState& state() const { return state_; }

 private:
  ErrorSet errors_;
  CheckState state_;
};

/// A computation with its checks as values: (parameters) -> (results, CheckState::leaves()). Parameters are flat; the
/// root is a tuple. Memoised by meaning.
struct CheckedComputation {
  hlo::ComputationPtr computation;
  size_t result_count = 0;
  CheckPlaces places;
};
int64_t held_bytes(const CheckedComputation& checked);
CheckedComputation checked_computation(const hlo::ComputationPtr& computation, ErrorSet errors);

/// Binds the operation in the current trace, and adds its own possible failures to `state`: NaNs, divisions by zero,
/// indices. Implemented in rules/checkify_ops.cc.
std::vector<Array> bind_checked_op(const Operation& operation, ErrorSet errors, CheckState& state);
/// Does the same for operations that call computations; returns nullopt for others. Implemented in rules/checkify.cc.
std::optional<std::vector<Array>> bind_checked_calls(const Operation& operation, ErrorSet errors, CheckState& state);

/// Names of the rules of check and debug_check among custom rules. `detail` is the message. Operands are the predicate
/// and the arguments of the message, which may have leading batch axes.
inline constexpr std::string_view kCheck = "check", kDebugCheck = "debug_check";
bool is_check(const Operation& operation);
/// Binds a check operation, whose operands may be batched.
std::vector<Array> bind_check(std::string_view kind, const std::string& message, std::span<const Array> operands);
/// Throws JAX's error for a program with a check that isn't under checkify.
void refuse_checks(const hlo::ComputationPtr& computation);

}  // namespace hilo::checkify
