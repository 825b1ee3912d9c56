// SPDX-License-Identifier: Apache-2.0
// engine/plan.h -- a compiled program as data: lists of steps over slots, library calls by name, code by object file.
// It holds no address and nothing of the module that it was made from.
#pragma once

#include "hilo/engine/target.h"

namespace hilo::engine {

/// Index of a pointer in a call's frame.
using SlotId = uint32_t;
inline constexpr SlotId kNoSlot = ~SlotId{0};

enum class StepKind : uint8_t {
  kKernel,
  kCopy,   ///< bytes from slot a to slot b, unless they are the same memory
  kAlias,  ///< slot b becomes slot a's pointer
  kLibrary,
  kWhile,
  kConditional,
  kWholeLoop,  ///< a loop that is one function
};

struct Step {
  StepKind kind{};
  uint32_t index = 0;      ///< kKernel: entry of Plan::kernels; else of the table of the step's kind
  uint32_t arguments = 0;  ///< kKernel, kLibrary: first entry in Plan::argument_slots
  uint32_t argument_count = 0;
  SlotId a = kNoSlot, b = kNoSlot;
  int64_t bytes = 0;    ///< kCopy
  int64_t units = 1;    ///< kKernel: extent of the outermost dimension
  int64_t chunk = 0;    ///< kKernel: units per task; 0: run on the caller's thread
  int64_t stretch = 0;  ///< kKernel: units between looks at the stop word; 0: all
  uint32_t work = 0;    ///< kKernel, kCopy, kLibrary, kWholeLoop: entry of Plan::work
  bool operator==(const Step&) const = default;
};

using StepList = std::vector<Step>;

/// A carry of one element. Each turn reads it at `now` and leaves the next one at `next`.
struct ScalarCarry {
  SlotId now = kNoSlot, next = kNoSlot;
  ElementType type{};
  bool fixed = false;  ///< never changes
  bool operator==(const ScalarCarry&) const = default;
};

/// After each turn: where the carry is, and where the next one goes.
struct Swap {
  SlotId now = kNoSlot, next = kNoSlot;
  bool operator==(const Swap&) const = default;
};

struct WhileLoop {
  StepList condition, body;
  SlotId predicate = kNoSlot;
  std::vector<Swap> swaps;
  std::vector<ScalarCarry> scalars;
  bool operator==(const WhileLoop&) const = default;
};

/// A loop that is one function, and what the function calls.
struct WholeLoop {
  uint32_t function = 0;          ///< entry of Plan::functions
  std::vector<SlotId> slots;      ///< whose pointers it takes, and leaves where the carry ended up
  std::vector<uint32_t> kernels;  ///< entries of Plan::kernels that it calls
  StepList handed_out;            ///< steps that the host runs: library calls, and kernels that are worth forking
  bool operator==(const WholeLoop&) const = default;
};

struct Branches {
  std::vector<StepList> lists;
  SlotId selector = kNoSlot;
  bool predicated = false;
  bool operator==(const Branches&) const = default;
};

/// Where a slot's pointer comes from when a call begins.
enum class SlotSource : uint8_t { kArgument, kResult, kConstant, kArena, kMoving };
struct Slot {
  SlotSource source{};
  int64_t index = 0;  ///< argument, result or constant number; byte offset in the arena
  bool operator==(const Slot&) const = default;
};

/// Result `result` may take the memory of argument `argument` if that is donated.
struct DonationPair {
  uint32_t result = 0, argument = 0;
  bool operator==(const DonationPair&) const = default;
};

/// A function of the target's library, and its parameters: an instruction on parameters of its own.
struct LibraryCall {
  std::string symbol;
  hlo::ComputationPtr call;  ///< the root is the instruction; null for copies between layouts and loops in registers
  std::vector<Shape> operands, results;
  std::vector<uint32_t> code;           ///< entries of Plan::functions that are compiled for this call
  std::vector<OperandView> views = {};  ///< of operands, then results; empty: all are dense
};

/// An instruction of the optimised program, by its computation's place in computations_of(module).
struct InstructionPlace {
  uint32_t computation = 0;
  hlo::InstructionId id = 0;
  bool operator==(const InstructionPlace&) const = default;
};

/// What a step computes, for observers: ExecutionUnit without pointers.
struct PlannedWork {
  std::string kind = {}, form = {};
  std::vector<InstructionPlace> instructions = {};
  double bytes = 0;
  double nanoseconds = 0;  ///< of a kernel: what one thread takes, by Target::costs()
  bool operator==(const PlannedWork&) const = default;
};

/// A function by the object that has it.
struct PlannedFunction {
  uint32_t object = 0;  ///< entry of Plan::objects
  std::string name;
  bool operator==(const PlannedFunction&) const = default;
};

struct Plan {
  std::string target;  ///< Target::name()
  StepList steps;
  std::vector<Slot> slots;
  std::vector<SlotId> argument_slots;
  std::vector<LibraryCall> library_calls;
  std::vector<WhileLoop> loops;
  std::vector<Branches> branches;
  std::vector<WholeLoop> whole_loops;
  std::vector<PlannedWork> work;
  std::vector<Literal> constants;
  std::vector<DonationPair> donations;
  std::vector<uint32_t> kernels;  ///< entries of `functions`; empty before their code is there
  std::vector<PlannedFunction> functions;
  std::vector<ObjectPtr> objects;
  int64_t arena_bytes = 0;
  uint32_t max_arguments = 0;
  bool forks = false;  ///< some step uses the thread pool
};

/// The entry of Plan::functions, made if it isn't there.
uint32_t add_function(Plan& plan, const CodeFunction& function);

/// All lists of steps, those of loops and branches too. `visit` may change them.
void for_each_list(Plan& plan, const std::function<void(StepList&)>& visit);
void for_each_list(const Plan& plan, const std::function<void(const StepList&)>& visit);

/// Every number is within the table that it indexes, and every word is one that there is.
/// Errors    INVALID_ARGUMENT "reading a plan: step 3: kernel 7 of 5"
Status check_plan(const Plan& plan);

}  // namespace hilo::engine
