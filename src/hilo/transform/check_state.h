// SPDX-License-Identifier: Apache-2.0
// transform/check_state.h -- what checkify knows while a program runs: the places that can fail, and the first that did.
// Not for users.
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
  /// Shapes of CheckState::leaves().
  std::vector<Shape> leaf_shapes() const;
};

/// Places, and arrays that say which failed first. Codes are indices of places.
class CheckState {
 public:
  CheckState() = default;
  /// Nothing has failed: the arrays are there all the same, as a loop's first carry.
  static CheckState nothing_at(const CheckPlaces& places);
  /// Of leaves().
  static CheckState from_leaves(const CheckPlaces& places, std::span<const Array> leaves);

  /// One more place, that has failed where `failed` (a scalar) says so.
  void add(const Array& failed, std::vector<Array> payload, std::string message);
  /// Places of what has run since, behind the own.
  void append(const CheckState& later);
  /// Of two states of the same places: the earlier where it has failed, else the later.
  static CheckState first_of(const CheckState& earlier, const CheckState& later);

  const CheckPlaces& places() const { return places_; }
  /// failed, code, and all payload.
  std::vector<Array> leaves() const;
  Error error() const;

 private:
  CheckPlaces places_;
  std::optional<Array> failed_;  // none: there is no place
  std::optional<Array> code_;
  std::vector<std::vector<Array>> payload_;
};

/// Functionalises checks: they become values, and other ops are looked at as `errors` says. Values travel as they are.
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

/// A computation with its checks as values: (parameters) -> (results, CheckState::leaves()). Flat parameters; root is a
/// tuple. Memoised by meaning.
struct CheckedComputation {
  hlo::ComputationPtr computation;
  size_t result_count = 0;
  CheckPlaces places;
};
int64_t held_bytes(const CheckedComputation& checked);
CheckedComputation checked_computation(const hlo::ComputationPtr& computation, ErrorSet errors);

/// Binds the operation in the current trace and adds to `state` what it may do wrong itself: NaNs, divisions by zero,
/// indices. The work is done in rules/checkify_ops.cc.
std::vector<Array> bind_checked_op(const Operation& operation, ErrorSet errors, CheckState& state);
/// The same for ops that call computations; nullopt for others: rules/checkify.cc.
std::optional<std::vector<Array>> bind_checked_calls(const Operation& operation, ErrorSet errors, CheckState& state);

/// Names of the rules of check and debug_check among custom rules. `detail` is the message; operands are the predicate
/// and what the message shows, which may have axes of batches in front.
inline constexpr std::string_view kCheck = "check", kDebugCheck = "debug_check";
bool is_check(const Operation& operation);
/// Binds a check op whose operands are batched or not.
std::vector<Array> bind_check(std::string_view kind, const std::string& message, std::span<const Array> operands);
/// Refuses a program with a check that isn't under checkify, in JAX's words.
void refuse_checks(const hlo::ComputationPtr& computation);

}  // namespace hilo::checkify
