// SPDX-License-Identifier: Apache-2.0
// trace/rules.h -- types of an op's rules for jvp, transpose and batch, and their lookup.
#pragma once

#include <variant>

#include "hilo/trace/trace.h"

namespace hilo {

/// A tangent or cotangent: an array, or the symbolic zero, which is never materialised. Integers and booleans always
/// have the zero.
class Tangent {
 public:
  Tangent() = default;                                ///< zero
  Tangent(Array value) : value_(std::move(value)) {}  // implicit
  bool is_zero() const { return !value_.has_value(); }
  const Array& value() const { return *value_; }
  const Array* operator->() const { return &*value_; }

 private:
  std::optional<Array> value_;
};

/// The batch axis of an operand; nullopt: it isn't batched.
using BatchDim = std::optional<int64_t>;

/// The change of a value when equal eigenvalues are separated: see transform/lifts.h.
struct Lift {
  int64_t id;      ///< identifies the eigenvalues and the numbers that separate them
  Tangent moved;   ///< change of the value
  Tangent turned;  ///< pole of the tangent
  /// The dimensions that index the eigenvalues; nullopt: unknown.
  std::optional<std::vector<int64_t>> axes;
};
using Lifts = std::vector<Lift>;

struct JvpResult {
  std::vector<Array> primals;
  std::vector<Tangent> tangents;
  std::vector<Lifts> lifts = {};  ///< one entry per result, or empty
};
struct BatchResult {
  std::vector<Array> results;
  std::vector<BatchDim> dims;
};

/// Collects the cotangents of the linear operands of one operation.
class Cotangents {
 public:
  virtual ~Cotangents() = default;
  /// Whether operand `i` is linear and so needs a cotangent.
  virtual bool wants(size_t i) const = 0;
  /// Adds `cotangent`, which has the operand's shape.
  virtual void add(size_t i, const Array& cotangent) = 0;
  /// Adds to a slice of the operand's cotangent. `update` maps the running sum (initially zeros) to the sum with the
  /// slice added. Repeated indexed reads thus transpose to in-place updates of one buffer.
  virtual void add_at(size_t i, const std::function<Array(const Array& sum)>& update) = 0;
};

/// Maps primals and tangents of the operands to those of the results. Runs with the parent trace current.
using JvpFunction = JvpResult (*)(const Operation& operation, std::span<const Tangent> tangents);
/// Maps cotangents of the results to cotangents of the linear operands. Non-linear operands have values; for linear
/// ones only the aval may be queried.
using TransposeFunction = void (*)(const Operation& operation, std::span<const Tangent> cotangents, Cotangents& out);
/// The axis of a batching rule.
struct BatchContext {
  int64_t axis_size = 0;
  std::string axis_name = {};       ///< empty: no name
  std::string spmd_axis_name = {};  ///< mesh axis that shards the batch when a sharding constraint is batched
  bool operator==(const BatchContext&) const = default;
};
/// Maps operands with their batch axes to results with theirs.
using BatchFunction = BatchResult (*)(const Operation& operation, std::span<const BatchDim> dims,
                                      const BatchContext& context);
/// The result of a linearize rule, for ops with called computations, which split into a primal and a tangent part. The
/// rule runs the primal part in the parent trace, and returns its results with a linear function of tangents.
struct LinearizeResult {
  std::vector<Array> primals;
  std::function<std::vector<Tangent>(std::span<const Tangent>)> tangent_function;
};
using LinearizeFunction = LinearizeResult (*)(const Operation& operation, std::span<const bool> nonzero);
/// The result of a split rule, for ops with called computations of which only a part depends on unknown operands
/// (tangents in a linearization). It has the known results, and a function that stages the rest.
struct SplitResult {
  std::vector<std::optional<Array>> known;      ///< one entry per result; nullopt if it is unknown
  std::function<std::vector<Array>()> unknown;  ///< returns the unknown results, in order
};
/// Runs the known part in the current trace. `unknown` has one entry per operand, not all false. Returns nullopt if
/// there is no known part.
using SplitFunction = std::optional<SplitResult> (*)(const Operation& operation, const std::vector<bool>& unknown);

/// Marks an op that rightly has no rule: it isn't linear, or has no useful derivative (integers, comparisons).
struct Nonlinear {
  const char* why = nullptr;  ///< message for a user who needs the transpose; null: "the op isn't linear"
};
/// Marks a rule that is never called: bind uses lists of arrays instead of tuples; an op without operands has nothing
/// to map.
struct Unreachable {};
/// Marks a missing rule; its use is an error with this reason.
struct NotYet {
  const char* why;
};

/// A rule that can't be omitted, because it has no default constructor.
template <typename F>
class Rule {
 public:
  constexpr Rule(F function) : rule_(function) {}
  constexpr Rule(Nonlinear none) : rule_(none) {}
  constexpr Rule(Unreachable none) : rule_(none) {}
  constexpr Rule(NotYet missing) : rule_(missing) {}
  constexpr const F* function() const { return std::get_if<F>(&rule_); }
  constexpr const NotYet* missing() const { return std::get_if<NotYet>(&rule_); }
  constexpr const Nonlinear* nonlinear() const { return std::get_if<Nonlinear>(&rule_); }

 private:
  std::variant<F, Nonlinear, Unreachable, NotYet> rule_;
};

struct Rules {
  Rule<JvpFunction> jvp;
  Rule<TransposeFunction> transpose;
  Rule<BatchFunction> batch;
  /// Set only for call, while, conditional, scan and custom derivatives; others are linearised through jvp.
  LinearizeFunction linearize = nullptr;
  /// Set only for call, while, conditional, scan, barriers and custom derivatives; results of others are all unknown.
  SplitFunction split = nullptr;
};

/// Returns the rules of an opcode; defined in rules/rules.cc.
const Rules& rules_of(hlo::Opcode opcode);

/// Functions of rules/ that this folder calls. rules/given.cc registers them when the library is loaded.
struct RegisteredRules {
  const Rules& (*rules_of)(hlo::Opcode opcode);
  void (*report_bad_values)(const Operation& operation);  ///< see bad_values.h; throws
  std::vector<Array> (*track_keys)(const Operation& operation,
                                   const std::function<std::vector<Array>()>& run);  ///< see key_reuse.h
};
/// Registers the functions. Returns true, so that it can initialize a constant.
/// Precondition: `rules` lives as long as the process
bool register_rules(const RegisteredRules& rules);

/// Whether values of this type have tangents; those of integers and booleans are zero.
inline bool has_tangent(ElementType type) { return is_floating(type) || is_complex(type); }

/// Returns zeros with the shape of `aval`, in the current trace.
Array zeros_like_aval(const Aval& aval);
/// Returns the tangent as an array; zeros if it is zero.
Array materialize(const Tangent& tangent, const Aval& aval);
/// Returns a + b; either may be zero.
Tangent add_tangents(const Tangent& a, const Tangent& b);

}  // namespace hilo
