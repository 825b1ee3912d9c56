// SPDX-License-Identifier: Apache-2.0
// trace/rules.h -- the types of an op's rules under jvp, transpose and batch, and where to find them.
#pragma once

#include <variant>

#include "hilo/trace/trace.h"

namespace hilo {

/// A tangent or cotangent: an array, or the symbolic zero, which is never materialised and is the only tangent of
/// integers and booleans.
class Tangent {
 public:
  Tangent() = default;                                ///< zero
  Tangent(Array value) : value_(std::move(value)) {}  // every array is a tangent
  bool is_zero() const { return !value_.has_value(); }
  const Array& value() const { return *value_; }
  const Array* operator->() const { return &*value_; }

 private:
  std::optional<Array> value_;
};

/// Where an operand's batch axis is; nullopt: the operand isn't batched.
using BatchDim = std::optional<int64_t>;

/// How a value changes as equal eigenvalues are lifted apart: see transform/lifts.h.
struct Lift {
  int64_t id;      ///< whose eigenvalues, and along which numbers
  Tangent moved;   ///< the change of the value
  Tangent turned;  ///< the tangent's pole
  /// The dimensions that count the eigenvalues; nullopt: unknown.
  std::optional<std::vector<int64_t>> axes;
};
using Lifts = std::vector<Lift>;

struct JvpResult {
  std::vector<Array> primals;
  std::vector<Tangent> tangents;
  std::vector<Lifts> lifts = {};  ///< one a result, or none
};
struct BatchResult {
  std::vector<Array> results;
  std::vector<BatchDim> dims;
};

/// Collects the cotangents of the linear operands of one operation.
class Cotangents {
 public:
  virtual ~Cotangents() = default;
  /// Is operand `i` linear, that is, does it want a cotangent?
  virtual bool wants(size_t i) const = 0;
  /// Adds `cotangent`, of the operand's shape.
  virtual void add(size_t i, const Array& cotangent) = 0;
  /// Adds `cotangent` to a slice of the operand's cotangent. `update` gets the running sum (zeros at first) and returns
  /// it with the slice added; so repeated indexed reads transpose to in-place updates of one buffer.
  virtual void add_at(size_t i, const std::function<Array(const Array& sum)>& update) = 0;
};

/// primals and tangents of the operands -> primals and tangents of the results. Runs with the parent trace current.
using JvpFunction = JvpResult (*)(const Operation& operation, std::span<const Tangent> tangents);
/// Cotangents of the results -> cotangents of the linear operands. Non-linear operands hold their values; linear ones
/// hold an array of which only aval may be asked.
using TransposeFunction = void (*)(const Operation& operation, std::span<const Tangent> cotangents, Cotangents& out);
/// The axis that a batching rule carries.
struct BatchContext {
  int64_t axis_size = 0;
  std::string axis_name = {};       ///< empty: it has none
  std::string spmd_axis_name = {};  ///< axis of a mesh that shares the batch where a sharding constraint is batched
  bool operator==(const BatchContext&) const = default;
};
/// Operands with their batch axes -> results with theirs.
using BatchFunction = BatchResult (*)(const Operation& operation, std::span<const BatchDim> dims,
                                      const BatchContext& context);
/// For ops with called computations, which split into a primal and a tangent part: runs the primal part in the parent
/// trace and returns its results with a function from tangents to tangents that is linear.
struct LinearizeResult {
  std::vector<Array> primals;
  std::function<std::vector<Tangent>(std::span<const Tangent>)> tangent_function;
};
using LinearizeFunction = LinearizeResult (*)(const Operation& operation, std::span<const bool> nonzero);
/// For ops with called computations of which one part needs operands that aren't known yet (tangents, where a function is
/// linearised) and the other doesn't: what the other gives, and a function that stages the rest.
struct SplitResult {
  std::vector<std::optional<Array>> known;      ///< one a result; nullopt where it is unknown
  std::function<std::vector<Array>()> unknown;  ///< the unknown results, in order
};
/// Runs the known part in the current trace. `unknown` has one entry an operand, not all false. nullopt: there is no such part.
using SplitFunction = std::optional<SplitResult> (*)(const Operation& operation, const std::vector<bool>& unknown);

/// The op has no derivative there is use for (integers, comparisons), or isn't linear, and that is right.
struct Nonlinear {
  const char* why = nullptr;  ///< what a user reads who asks for the transpose; null: "the op isn't linear"
};
/// No operation ever comes to the rule: bind deals in lists of arrays, not tuples; an op without operands has nothing
/// to map.
struct Unreachable {};
/// Nobody has written the rule; using it is an error with this reason.
struct NotYet {
  const char* why;
};

/// A rule that can't be forgotten: it has no default constructor.
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
  /// Only call, while, conditional, scan and custom derivatives have one; others are linearised through jvp.
  LinearizeFunction linearize = nullptr;
  /// Only call, while, conditional, scan, barriers and custom derivatives have one; of others all is unknown.
  SplitFunction split = nullptr;
};

/// The rules of an opcode: a switch without default in rules/rules.cc.
const Rules& rules_of(hlo::Opcode opcode);

/// What this folder needs of rules/, which gives it when the library is loaded (rules/given.cc).
struct GivenRules {
  const Rules& (*rules_of)(hlo::Opcode opcode);
  void (*report_bad_values)(const Operation& operation);  ///< bad_values.h; it throws
  std::vector<Array> (*follow_keys)(const Operation& operation,
                                    const std::function<std::vector<Array>()>& run);  ///< key_reuse.h
};
/// Returns true: it initializes a constant. Precondition: `rules` lives as long as the process.
bool give_rules(const GivenRules& rules);

/// Zero for integers and booleans; the type a tangent of `type` has otherwise.
inline bool has_tangent(ElementType type) { return is_floating(type) || is_complex(type); }

/// zeros of the shape of `aval`, in the current trace.
Array zeros_like_aval(const Aval& aval);
/// The tangent as an array, zeros if it is zero.
Array materialize(const Tangent& tangent, const Aval& aval);
/// a + b, where either may be zero.
Tangent add_tangents(const Tangent& a, const Tangent& b);

}  // namespace hilo
