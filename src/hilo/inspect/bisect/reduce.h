// SPDX-License-Identifier: Apache-2.0
// inspect/bisect/reduce.h -- a program on which an engine and the reference evaluator part, made small.
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

/// Runs a module on leaves of arguments; gives leaves of results.
using EngineFunction = std::function<StatusOr<std::vector<Literal>>(const Module&, const std::vector<Literal>&)>;

struct CompareOptions {
  /// Instructions of the entry whose values every engine must give to the bit; empty: those of types that aren't
  /// rounded.
  std::function<bool(const Instruction&)> exact = nullptr;
  /// Nonzero stops the reference evaluator with CANCELLED.
  const std::atomic<uint32_t>* cancel_word = nullptr;
  /// Hears how far the work is.
  std::function<void(std::string_view what, int64_t done, int64_t of)> progress = nullptr;
};

/// What a program's results are, by the reference evaluator: leaves in order, whether they must be the same bits, and
/// the greatest finite magnitude behind each.
struct Expected {
  Literal value;
  bool exact = false;
  double scale = 0;
};
StatusOr<std::vector<Expected>> expected_of(const Invocation& program, const CompareOptions& options = {});

/// What differs between the engine and the reference evaluator by the rule of inspect/bisect/agreement.h, or "". An
/// error of either is a difference.
std::string disagreement(const Invocation& program, const EngineFunction& engine, const CompareOptions& options = {});

/// The part of the program that `result` needs, which becomes its result; instructions of the entry that are in `known`
/// become parameters with these values.
/// Errors    INTERNAL for a program that wasn't well formed
StatusOr<Invocation> part_of(const Invocation& program, InstructionId result,
                             const std::unordered_map<InstructionId, Literal>& known);

/// The smallest program found that still differs: one result, every value that needn't be computed is an argument.
/// The program itself if it doesn't differ.
/// Cost      as many runs and compilations as the entry has instructions
Invocation reduced(Invocation program, const EngineFunction& engine, const CompareOptions& options = {});

/// The program with a parameter for each array of its arguments that isn't `written`; those stand in it as constants,
/// each behind a barrier, so that no engine computes with them before the program runs.
/// Errors    INTERNAL for a program that wasn't well formed
StatusOr<Invocation> with_constants(const Invocation& program, const std::function<bool(const Literal&)>& written);

/// Whether an instruction computes: no parameter, tuple, or element of one.
bool is_op(const Instruction& instruction);
/// Ops that compute, and no copies.
int64_t op_count(const Computation& computation);

}  // namespace hilo::hlo
