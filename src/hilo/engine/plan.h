// SPDX-License-Identifier: Apache-2.0
// engine/plan.h -- a compiled program as data: lists of steps over slots, library calls by name, code by object file. A
// plan contains no addresses and no pointers into its module.
#pragma once

#include "hilo/engine/target.h"

namespace hilo::engine {

/// Index of a pointer in the frame of a call.
using SlotId = uint32_t;
inline constexpr SlotId kNoSlot = ~SlotId{0};

enum class StepKind : uint8_t {
  kKernel,
  kCopy,   ///< copies bytes from slot a to slot b, unless both are the same memory
  kAlias,  ///< sets the pointer of slot b to that of slot a
  kLibrary,
  kWhile,
  kConditional,
  kWholeLoop,  ///< a loop that is compiled as one function
};

struct Step {
  StepKind kind{};
  uint32_t index = 0;      ///< kKernel: entry of Plan::kernels; other kinds: entry of the table of that kind
  uint32_t arguments = 0;  ///< kKernel, kLibrary: first entry in Plan::argument_slots
  uint32_t argument_count = 0;
  SlotId a = kNoSlot, b = kNoSlot;
  int64_t bytes = 0;    ///< kCopy
  int64_t units = 1;    ///< kKernel: extent of the outermost dimension
  int64_t chunk = 0;    ///< kKernel: units per task; 0 means that it runs on the caller's thread
  int64_t stretch = 0;  ///< kKernel: units between two checks of the stop word; 0 means all units
  uint32_t work = 0;    ///< kKernel, kCopy, kLibrary, kWholeLoop: entry of Plan::work
  bool operator==(const Step&) const = default;
};

using StepList = std::vector<Step>;

/// An element of a carry that is a scalar. Each turn reads it at `now` and writes the next value at `next`.
struct ScalarCarry {
  SlotId now = kNoSlot, next = kNoSlot;
  ElementType type{};
  bool fixed = false;  ///< whether it never changes
  bool operator==(const ScalarCarry&) const = default;
};

/// After each turn, exchanges the pointers to the carry and to the next carry.
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

/// A loop that is compiled as one function, and the code that this function calls.
struct WholeLoop {
  uint32_t function = 0;          ///< entry of Plan::functions
  std::vector<SlotId> slots;      ///< slots whose pointers the function reads and, at its end, sets to the final carry
  std::vector<uint32_t> kernels;  ///< entries of Plan::kernels that it calls
  StepList handed_out;            ///< steps that the host runs: library calls, and kernels for which a fork pays off
  bool operator==(const WholeLoop&) const = default;
};

struct Branches {
  std::vector<StepList> lists;
  SlotId selector = kNoSlot;
  bool predicated = false;
  bool operator==(const Branches&) const = default;
};

/// The origin of a slot's pointer when a call begins.
enum class SlotSource : uint8_t { kArgument, kResult, kConstant, kArena, kMoving };
struct Slot {
  SlotSource source{};
  int64_t index = 0;  ///< number of the argument, result or constant; byte offset in the arena
  bool operator==(const Slot&) const = default;
};

/// Result `result` may use the memory of argument `argument` if that is donated.
struct DonationPair {
  uint32_t result = 0, argument = 0;
  bool operator==(const DonationPair&) const = default;
};

/// A function of the target's library and its parameters: an instruction whose operands are parameters.
struct LibraryCall {
  std::string symbol;
  /// its root is the instruction; null for copies between layouts and for loops in registers
  hlo::ComputationPtr call;
  std::vector<Shape> operands, results;
  std::vector<uint32_t> code;           ///< entries of Plan::functions that are compiled for this call
  std::vector<OperandView> views = {};  ///< of operands, then of results; empty if all are dense
  int64_t batch = 1;                    ///< of a straight line: StraightLine::batch
  bool has_guard = false;               ///< of a straight line: the last result is the guard
};

/// An instruction of the optimized program. `computation` is an index into computations_of(module).
struct InstructionPlace {
  uint32_t computation = 0;
  hlo::InstructionId id = 0;
  bool operator==(const InstructionPlace&) const = default;
};

/// What a step computes, for observers: an ExecutionUnit without pointers.
struct PlannedWork {
  std::string kind = {}, form = {};
  std::vector<InstructionPlace> instructions = {};
  double bytes = 0;
  double nanoseconds = 0;  ///< of a kernel: estimated time on one thread, by Target::costs()
  bool operator==(const PlannedWork&) const = default;
};

/// A function and the object file that defines it.
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
  std::vector<int64_t> argument_offsets;  ///< bytes from the slots' addresses; empty if all are 0
  std::vector<LibraryCall> library_calls;
  std::vector<WhileLoop> loops;
  std::vector<Branches> branches;
  std::vector<WholeLoop> whole_loops;
  std::vector<PlannedWork> work;
  std::vector<Literal> constants;
  std::vector<DonationPair> donations;
  std::vector<uint32_t> kernels;  ///< entries of `functions`; empty until the code is compiled
  std::vector<PlannedFunction> functions;
  std::vector<ObjectPtr> objects;
  int64_t arena_bytes = 0;
  uint32_t max_arguments = 0;
  bool forks = false;  ///< whether a step uses the thread pool

  int64_t argument_offset(size_t argument) const { return argument_offsets.empty() ? 0 : argument_offsets[argument]; }
};

/// Returns the function's index in Plan::functions. Adds it if it is missing.
uint32_t add_function(Plan& plan, const CodeFunction& function);

/// Calls `visit` for all lists of steps, including those of loops and branches. `visit` may change them.
void for_each_list(Plan& plan, const std::function<void(StepList&)>& visit);
void for_each_list(const Plan& plan, const std::function<void(const StepList&)>& visit);

/// Checks that each index is within its table and that each name is known.
/// Errors    INVALID_ARGUMENT "reading a plan: step 3: kernel 7 of 5"
Status check_plan(const Plan& plan);

}  // namespace hilo::engine
