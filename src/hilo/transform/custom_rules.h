// SPDX-License-Identifier: Apache-2.0
// transform/custom_rules.h -- rules of a single function instead of an operation: the basis of custom_jvp, custom_vjp
// and similar. Not for users.
#pragma once

#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {

/// The rules of one call. An empty rule means that of a plain call: the computation is transformed, and wrapped in the
/// same operation again.
struct CustomRules {
  std::function<JvpResult(const Operation&, std::span<const Tangent>)> jvp;
  std::function<LinearizeResult(const Operation&, std::span<const bool>)> linearize;
  std::function<void(const Operation&, std::span<const Tangent>, Cotangents&)> transpose;
  std::function<BatchResult(const Operation&, std::span<const BatchDim>, const BatchContext&)> batch;
  std::function<std::optional<SplitResult>(const Operation&, const std::vector<bool>& unknown)> split = {};
  bool reverse_only = false;  ///< forward mode is rejected
};

/// Returns the rules of a user's function; null for an operation read from a file, or with named rules without a user.
const CustomRules* custom_rules_of(const Operation& operation);

/// Whether the operation has its own jvp rule and no linearize rule; the jvp rule then serves both.
bool has_custom_jvp(const Operation& operation);

/// Returns rules without user data by the name in CustomRulesAttributes::rules: "checkpoint" and its parts, "callback";
/// null for other names. Defined in rules/named_rules.h.
const CustomRules* named_custom_rules(std::string_view rules);

inline constexpr std::string_view kCheckpoint = "checkpoint", kCheckpointTangent = "checkpoint_tangent",
                                  kCheckpointName = "checkpoint_name", kCheckpointSaved = "checkpoint_saved",
                                  kUsedKey = "used_key", kNewKey = "new_key";
/// Binds an identity operation, whose rules see `x` and `detail`: a name for checkpoint policies, or the use of a key.
Array bind_identity(const Array& x, std::string_view rules, const std::string& detail);

/// Returns a new number that identifies a user's function.
int64_t next_custom_rules_id();
/// Returns the number of the function that a transformation derived from `id`: equal for equal `what`.
int64_t derived_custom_rules_id(int64_t id, std::span<const int64_t> what);

/// Whether a function can simply run: no transformation is active and none of the arrays is a tracer.
bool runs_at_once(std::span<const Array> arrays);

/// Calls a staged function (root: a tuple) by its own rules, with `arguments` and its captures. `user` is its
/// CustomRules, or the callback of callback rules.
std::vector<Array> bind_custom_rules(const StagedFunction& function, std::span<const Array> arguments,
                                     std::string rules, int64_t id, std::shared_ptr<const void> user,
                                     std::string detail = {});

std::vector<Aval> avals_of(std::span<const Array> arrays);

/// Returns all results with the batch axis in front, broadcast where they have none.
std::vector<Array> in_front(const BatchResult& batched, int64_t axis_size);
std::vector<Aval> with_axis_in_front(std::span<const Aval> avals, int64_t axis_size);

/// A call with its own rules during batching: its computation is batched; all results and the batched operands have the
/// axis in front.
struct BatchedCall {
  std::shared_ptr<hlo::CustomRulesAttributes> attributes;
  std::vector<Array> operands;
  std::vector<BatchDim> dims;  ///< of the operands: 0 or none
  BatchContext axis;

  BatchResult bind(std::shared_ptr<const CustomRules> rules) const;
};
BatchedCall batched_call(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context);

/// Returns a computation whose results are zeros of these shapes, for an operation of which only the transpose is
/// defined.
hlo::ComputationPtr computation_of_zeros(std::span<const Aval> arguments, std::span<const Shape> results);

/// Rejects differentiation with respect to captured values, which are the operands from `argument_count` on. `kind` is
/// "custom_jvp" or similar; `hint` ends the message.
void refuse_closed_over_tangents(std::string_view kind, std::span<const bool> nonzero, size_t argument_count,
                                 std::string_view hint);

}  // namespace hilo
