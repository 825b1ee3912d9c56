// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/hero.h -- a library call, bound to its parameters.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/abi/scatter.h"
#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/base/stop.h"
#include "hilo/base/thread_pool.h"
#include "hilo/device/communicator.h"
#include "hilo/engine/target.h"

namespace hilo::cpu {

using engine::LibraryProblem, engine::OperandView;

/// The environment of a running call.
struct CallContext {
  const StopWord* stop_word = nullptr;   ///< null: the call can't be stopped
  Executor* executor = nullptr;          ///< null: one thread
  Communicator* communicator = nullptr;  ///< null: one replica
};

/// Returns the stop word as compiled code polls it; may be null.
inline const uint32_t* polled_word(const StopWord* word) {
  static const uint32_t never = 0;
  static_assert(StopWord::is_always_lock_free && sizeof(StopWord) == sizeof(uint32_t));
  return word != nullptr ? reinterpret_cast<const uint32_t*>(word) : &never;
}

/// A call of a function of backend/cpu/runtime, as data: what an object needs to call it too.
struct RoutineCall {
  runtime::Routine routine{};
  std::vector<std::byte> problem = {};
  int64_t units = 1;
  size_t scratch_bytes = 0;  ///< of one range of units
};

/// A library call: work that isn't a region, such as sorting and scattering. Immutable, so calls share it.
class Hero {
 public:
  virtual ~Hero() = default;
  /// `buffers`: operands, then results. They are dense and row-major, except those for which the request has a view.
  virtual Status run(void* const* buffers, const CallContext& context) const = 0;
  /// Whether the result's memory must hold operand 0 when run() begins.
  virtual bool updates_in_place() const { return false; }
  /// Returns the bytes of memory that it allocates besides its buffers, including those of its first run.
  virtual int64_t table_bytes() const { return 0; }
  /// Returns the call as data, with the same results on one thread; nothing if the hero calls no such function.
  virtual std::optional<RoutineCall> routine() const { return std::nullopt; }
};

/// The code that a call is bound to. It is compiled with its plan and loaded with its plan.
class InnerCode {
 public:
  virtual ~InnerCode() = default;
  /// Returns the code of the function. Precondition: is_scalar_function.
  virtual StatusOr<ScalarFunction> scalar_program(const hlo::Computation& computation) = 0;
  virtual StatusOr<ScatterFunction> scatter_kernel(const ScatterKernelSpec& spec) = 0;
};

/// The parameters of a library call.
struct HeroRequest {
  LibraryProblem problem;
  Isa isa;
  InnerCode& code;
  std::span<const OperandView> views = {};  ///< of operands, then of results; empty if all are dense

  OperandView view(size_t place) const { return views.empty() ? OperandView() : views[place]; }
};

}  // namespace hilo::cpu
