// SPDX-License-Identifier: Apache-2.0
// hlo/eval/evaluator.h -- runs a computation with the reference kernels: simple and slow, the model for tests.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <span>
#include <unordered_map>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// State that successive evaluations of one program share: how its instructions are decomposed, and the states of its
/// rng-get-and-update-state. Threads may share it. The instructions must outlive it.
struct EvaluatorMemory {
  std::mutex mutex;
  std::unordered_map<const Instruction*, ComputationPtr> decompositions;
  std::unordered_map<const Instruction*, Literal> rng_states;  ///< by instruction of the program or its decompositions
};

struct EvaluateOptions {
  using Clock = std::chrono::steady_clock;
  /// Checked before every instruction and inside long ones; a value other than 0 stops the program, as base/stop.h
  /// describes. Null: the thread's own stop word is used.
  const std::atomic<uint32_t>* cancel_word = nullptr;
  /// Called for every instruction of the computation and of those it calls, with its value, in the order of execution.
  std::function<void(const Instruction&, const Literal&)> observe;
  /// Called with the begin and end of each instruction that computes by itself. For calls, loops and conditionals it is
  /// called for the instructions they run. The bodies of reductions, sorts and ops without a kernel count as part of
  /// those.
  std::function<void(const Instruction&, Clock::time_point begin, Clock::time_point end)> timed;
  /// Runs collectives and replica-id. Empty: the program is its only replica.
  CollectiveFunction collective;
  /// Null: the evaluation starts with a fresh memory.
  EvaluatorMemory* memory = nullptr;
};

/// Runs `computation` on `arguments`.
/// Types     every native element type; 4-bit integers and 8-bit floats are moved, not computed with
/// Errors    INVALID_ARGUMENT for a wrong count or shape of arguments: "Execute 'main': argument 0 'x' is f32[4],
///           compiled for f32[3]"; UNIMPLEMENTED for ops without a kernel; RESOURCE_EXHAUSTED when memory or call
///           depth run out; CANCELLED and DEADLINE_EXCEEDED. Errors of kernels name their instruction.
/// Cost      one pass over the instructions; values are freed after their last use
StatusOr<Literal> evaluate(const Computation& computation, std::span<const Literal> arguments,
                           const EvaluateOptions& options = {});
StatusOr<Literal> evaluate(const Module& module, std::span<const Literal> arguments,
                           const EvaluateOptions& options = {});
inline StatusOr<Literal> evaluate(const Computation& computation, std::initializer_list<Literal> arguments) {
  return evaluate(computation, std::span<const Literal>(arguments.begin(), arguments.size()));
}
inline StatusOr<Literal> evaluate(const Module& module, std::initializer_list<Literal> arguments) {
  return evaluate(module, std::span<const Literal>(arguments.begin(), arguments.size()));
}

/// Runs a called computation on borrowed values. Kernels outside the evaluator use it as their `run`.
StatusOr<Literal> evaluate_called(const Computation& computation, std::span<const Literal* const> arguments);

/// Deeper nesting of calls, loops and branches fails with RESOURCE_EXHAUSTED.
inline constexpr int kMaxEvaluateDepth = 500;

}  // namespace hilo::hlo
