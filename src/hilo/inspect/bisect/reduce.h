// SPDX-License-Identifier: Apache-2.0
// inspect/bisect/reduce.h -- reduces a program on which an engine and the reference evaluator differ.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// A program with the values of its parameters.
struct Invocation {
  Module module;
  std::vector<Literal> arguments;
};

/// Runs a module on the leaves of its arguments; returns the leaves of its results.
using EngineFunction = std::function<StatusOr<std::vector<Literal>>(const Module&, const std::vector<Literal>&)>;

struct CompareOptions {
  /// Whether every engine must compute an instruction's value bit for bit; empty: for types without rounding.
  std::function<bool(const Instruction&)> exact = nullptr;
  /// Nonzero stops the reference evaluator with CANCELLED.
  const std::atomic<uint32_t>* cancel_word = nullptr;
  /// Reports progress.
  std::function<void(std::string_view what, int64_t done, int64_t of)> progress = nullptr;
};

/// The results of a program by the reference evaluator: leaves in order, whether their bits must be equal, and the
/// largest finite magnitude that each depends on.
struct Expected {
  Literal value;
  bool exact = false;
  double scale = 0;
};
StatusOr<std::vector<Expected>> expected_of(const Invocation& program, const CompareOptions& options = {});

/// Describes the difference between the engine and the reference evaluator by the rule of inspect/bisect/agreement.h;
/// "" if they agree. An error of either is a difference.
std::string disagreement(const Invocation& program, const EngineFunction& engine, const CompareOptions& options = {});

/// Returns the part of the program that `result` needs, which becomes its result. Instructions of the entry in `known`
/// become parameters with these values.
/// Errors     INTERNAL for a malformed program
StatusOr<Invocation> part_of(const Invocation& program, InstructionId result,
                             const std::unordered_map<InstructionId, Literal>& known);

/// Returns the smallest diverging program found: one result, and all values that needn't be computed are arguments.
/// Returns the program itself if it doesn't diverge.
/// Cost       as many runs and compilations as the entry has instructions
Invocation reduced(Invocation program, const EngineFunction& engine, const CompareOptions& options = {});

/// Returns the program with a parameter for each array of its arguments that isn't `written`. The others become
/// constants behind barriers, so that no engine folds them.
/// Errors     INTERNAL for a malformed program
StatusOr<Invocation> with_constants(const Invocation& program, const std::function<bool(const Literal&)>& written);

/// Returns whether an instruction computes: it is neither a parameter, nor a tuple, nor an element of one.
bool is_op(const Instruction& instruction);
/// Returns the number of ops that compute, without copies.
int64_t op_count(const Computation& computation);

}  // namespace hilo::hlo
