// SPDX-License-Identifier: Apache-2.0
// backend/cpu/program.h -- a compiled program as flat lists of steps over slots. Plain data.
#pragma once

#include <memory>

#include "hilo/backend/cpu/compiled_code.h"
#include "hilo/backend/cpu/emit/region.h"
#include "hilo/base/stop.h"
#include "hilo/base/thread_pool.h"
#include "hilo/device/communicator.h"
#include "hilo/device/execution_observer.h"

namespace hilo::cpu {

/// Index of a pointer in a call's frame.
using SlotId = uint32_t;
inline constexpr SlotId kNoSlot = ~SlotId{0};

struct Program;

/// What a running step may use.
struct StepContext {
  const Program& program;
  void** slots;
  const StopWord* stop_word;              ///< null: can't be stopped
  Executor* executor;                     ///< null: one thread
  ExecutionObserver* observer = nullptr;  ///< null: nobody watches
  Communicator* communicator = nullptr;   ///< null: one replica
};

/// Work that is not a region: library calls, sorting, scattering. Immutable, so calls share it.
class Hero {
 public:
  virtual ~Hero() = default;
  /// `buffers`: operands, then results; dense and row-major.
  virtual Status run(void* const* buffers, StepContext& context) const = 0;
  /// The result's memory must hold operand 0 when run() begins.
  virtual bool updates_in_place() const { return false; }
};

enum class StepKind : uint8_t {
  kKernel,
  kCopy,   ///< bytes from slot a to slot b, unless they are the same memory
  kAlias,  ///< slot b becomes slot a's pointer
  kHero,
  kWhile,
  kConditional,
  kWholeLoop,  ///< a loop that is one function
};

struct Step {
  StepKind kind;
  uint32_t arguments = 0;  ///< kKernel, kHero: first entry in Program::argument_slots
  uint32_t argument_count = 0;
  uint32_t index = 0;  ///< kKernel: kernel; kHero, kWhile, kConditional, kWholeLoop: entry of that table
  SlotId a = kNoSlot, b = kNoSlot;
  int64_t bytes = 0;  ///< kCopy
  RegionKernel kernel = nullptr;
  int64_t units = 1;    ///< kKernel: extent of the outermost dimension
  int64_t chunk = 0;    ///< kKernel: units per task; 0: run on the caller's thread
  int64_t stretch = 0;  ///< kKernel: units between looks at the stop word; 0: all
  uint32_t work = 0;    ///< kKernel, kCopy, kHero, kWholeLoop: entry of Program::work
};

using StepList = std::vector<Step>;

/// A carry of one element. Each turn reads it at `now` and leaves the next one at `next`.
struct ScalarCarry {
  SlotId now, next;
  ElementType type;
  bool fixed;  ///< never changes
};

struct WhileLoop {
  StepList condition, body;
  SlotId predicate = kNoSlot;
  std::vector<std::pair<SlotId, SlotId>> swaps;  ///< after each turn: where the carry is, and where the next one goes
  std::vector<ScalarCarry> scalars;
};

struct LoopContext;
struct LoopHost;
enum : int32_t { kLoopDone = 0, kLoopCancelled = 1, kLoopFailed = 2 };

/// Compiled code of a loop. `pointers` are those of WholeLoop::slots; on return, where the carry ended up.
using LoopFunction = int32_t (*)(LoopContext* context, void** pointers);

/// What that code needs of its surroundings.
struct LoopContext {
  int32_t (*run_step)(LoopContext* context, uint32_t number, void* const* arguments);  ///< 0 if the loop may go on
  const uint32_t* cancel_word;                                                         ///< never null
  const RegionKernel* kernels;
  LoopHost* host;
};

/// A loop that is one function, and what the function calls.
struct WholeLoop {
  LoopFunction function = nullptr;
  std::vector<SlotId> slots;
  std::vector<RegionKernel> kernels;
  std::vector<uint32_t> kernel_numbers;  ///< per kernel: its Step::index
  std::vector<Step> handed_out;          ///< steps that the host runs: heroes, and kernels that are worth forking
};

struct Branches {
  std::vector<StepList> lists;
  SlotId selector = kNoSlot;
  bool predicated = false;
};

/// Where a slot's pointer comes from when a call begins.
enum class SlotSource : uint8_t { kArgument, kResult, kConstant, kArena, kMoving };
struct Slot {
  SlotSource source;
  int64_t index = 0;  ///< argument, result or constant number; byte offset in the arena
};

/// Result `result` may take the memory of argument `argument` if that is donated.
struct DonationPair {
  uint32_t result, argument;
};

struct Program {
  StepList steps;
  std::vector<Slot> slots;
  std::vector<SlotId> argument_slots;
  std::vector<std::unique_ptr<Hero>> heroes;
  std::vector<WhileLoop> loops;
  std::vector<Branches> branches;
  std::vector<WholeLoop> whole_loops;
  std::vector<ExecutionUnit> work;  ///< what steps compute, for observers
  std::vector<Literal> constants;
  std::vector<DonationPair> donations;
  std::vector<std::shared_ptr<CompiledCode>> code;
  int64_t arena_bytes = 0;
  uint32_t max_arguments = 0;
  bool forks = false;  ///< some step uses the thread pool
  int64_t kernel_count = 0;
  int64_t kernels_compiled = 0;
};

/// Runs a list of steps.
/// Errors    CANCELLED or DEADLINE_EXCEEDED, soon after the stop word is set, and what heroes return
Status run_steps(const StepList& steps, StepContext& context);

}  // namespace hilo::cpu
