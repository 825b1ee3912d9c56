// SPDX-License-Identifier: Apache-2.0
// transform/custom_rules.h -- rules that belong to one function and not to an op: what custom_jvp, custom_vjp and their
// kin are made of. Not for users.
#pragma once

#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {

/// Rules of one call. Whatever is empty is as for a plain call: the computation is transformed, and the op put around it
/// again.
struct CustomRules {
  std::function<JvpResult(const Operation&, std::span<const Tangent>)> jvp;
  std::function<LinearizeResult(const Operation&, std::span<const bool>)> linearize;
  std::function<void(const Operation&, std::span<const Tangent>, Cotangents&)> transpose;
  std::function<BatchResult(const Operation&, std::span<const BatchDim>, const BatchContext&)> batch;
  std::function<std::optional<SplitResult>(const Operation&, const std::vector<bool>& unknown)> split = {};
  bool reverse_only = false;  ///< to push tangents forward is refused
};

/// The rules that a user's function has brought; null for an op that has come from a file, or whose rules have a name
/// and no user.
const CustomRules* custom_rules_of(const Operation& operation);

/// Is the operation a call with a jvp rule of its own, and none to linearise it? Then that rule does both.
bool has_custom_jvp(const Operation& operation);

/// Rules that need no user, by the name in CustomRulesAttributes::rules: "checkpoint" and its parts, "callback"; null for
/// others. They are in rules/named_rules.h.
const CustomRules* named_custom_rules(std::string_view rules);

/// Names of these rules.
inline constexpr std::string_view kCheckpoint = "checkpoint", kCheckpointTangent = "checkpoint_tangent",
                                  kCheckpointName = "checkpoint_name", kUsedKey = "used_key", kNewKey = "new_key";
/// `x` itself, by rules that see it and `detail`: the name that checkpoint policies know, what uses a key.
Array bind_identity(const Array& x, std::string_view rules, const std::string& detail);

/// Numbers that tell users' functions apart.
int64_t next_custom_rules_id();
/// The number of what a transformation made of `id`: the same for the same `what`.
int64_t derived_custom_rules_id(int64_t id, std::span<const int64_t> what);

/// No transformation is under way and none of these is a tracer: a function may just run.
bool runs_at_once(std::span<const Array> arrays);

/// Calls a staged function (root: a tuple) with `arguments` and what it captured, by rules of its own. `user`: its
/// CustomRules, or the callback that the rules of callbacks are about.
std::vector<Array> bind_custom_rules(const StagedFunction& function, std::span<const Array> arguments,
                                     std::string rules, int64_t id, std::shared_ptr<const void> user,
                                     std::string detail = {});

std::vector<Aval> avals_of(std::span<const Array> arrays);

/// All results with the axis in front, broadcast where they have none.
std::vector<Array> in_front(const BatchResult& batched, int64_t axis_size);
std::vector<Aval> with_axis_in_front(std::span<const Aval> avals, int64_t axis_size);

/// A call with rules of its own on its way through a batching rule: its computation is batched, all results have the
/// axis in front, operands that have the axis too.
struct BatchedCall {
  std::shared_ptr<hlo::CustomRulesAttributes> attributes;
  std::vector<Array> operands;
  std::vector<BatchDim> dims;  ///< of the operands: 0 or none
  BatchContext axis;

  /// Binds it with the batched rules.
  BatchResult bind(std::shared_ptr<const CustomRules> rules) const;
};
BatchedCall batched_call(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context);

/// A computation that gives zeros of these shapes, for an op of which only the transpose is known.
hlo::ComputationPtr computation_of_zeros(std::span<const Aval> arguments, std::span<const Shape> results);

/// Refuses differentiation with respect to what a function closes over: operands from `argument_count` on.
/// `kind` is "custom_jvp" or the like; `hint` ends the message.
void refuse_closed_over_tangents(std::string_view kind, std::span<const bool> nonzero, size_t argument_count,
                                 std::string_view hint);

}  // namespace hilo
