// SPDX-License-Identifier: Apache-2.0
// hlo/eval/evaluator.h -- runs a computation with the reference kernels: slow, obvious, right.
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

/// What evaluations of one program hand on to the next ones: how its instructions are decomposed, and the states of its
/// rng-get-and-update-state. Threads share it. Only of instructions that outlive it.
struct EvaluatorMemory {
  std::mutex mutex;
  std::unordered_map<const Instruction*, ComputationPtr> decompositions;
  std::unordered_map<const Instruction*, Literal> rng_states;  ///< of instructions of the program or its decompositions
};

struct EvaluateOptions {
  using Clock = std::chrono::steady_clock;
  /// Looked at for every instruction, and inside of those that take long; what isn't 0 stops the program, as base/stop.h
  /// says. Null: the thread's own word.
  const std::atomic<uint32_t>* cancel_word = nullptr;
  /// Sees every instruction of the computation and of those it calls, with its value, in the order of execution.
  std::function<void(const Instruction&, const Literal&)> observe;
  /// Sees when each instruction began and ended that does the work itself: calls, loops and conditionals are not seen, but
  /// what they run is; what reductions, sorts and ops without a kernel of their own run is part of them.
  std::function<void(const Instruction&, Clock::time_point begin, Clock::time_point end)> timed;
  /// Runs collectives and replica-id; empty: the program is its only replica.
  CollectiveFunction collective;
  /// Null: the evaluation starts from its beginning.
  EvaluatorMemory* memory = nullptr;
};

/// Runs `computation` on `arguments`.
/// Types      every native element type; 4-bit integers and 8-bit floats are moved, not computed with
/// Errors     INVALID_ARGUMENT for a wrong count or shape of arguments: "Execute 'main': argument 0 'x' is f32[4],
///            compiled for f32[3]"; UNIMPLEMENTED for ops without a kernel; RESOURCE_EXHAUSTED when memory or call
///            depth run out; CANCELLED and DEADLINE_EXCEEDED. Errors of kernels name their instruction.
/// Cost       one pass over the instructions; values are freed after their last use
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

/// A called computation on borrowed values: what kernels outside the evaluator take as their `run`.
StatusOr<Literal> evaluate_called(const Computation& computation, std::span<const Literal* const> arguments);

/// Calls, loops and branches nested in each other deeper than this end with RESOURCE_EXHAUSTED.
inline constexpr int kMaxEvaluateDepth = 500;

}  // namespace hilo::hlo
