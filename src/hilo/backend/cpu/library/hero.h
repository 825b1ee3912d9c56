// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/hero.h -- a call of the library, bound to its parameters.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/abi/scatter.h"
#include "hilo/base/stop.h"
#include "hilo/base/thread_pool.h"
#include "hilo/device/communicator.h"
#include "hilo/engine/target.h"

namespace hilo::cpu {

using namespace engine;  // this back end is written in the engine's words

/// What a running call may use.
struct CallContext {
  const StopWord* stop_word = nullptr;   ///< null: can't be stopped
  Executor* executor = nullptr;          ///< null: one thread
  Communicator* communicator = nullptr;  ///< null: one replica
};

/// A stop word, or null, as compiled code polls it.
inline const uint32_t* polled_word(const StopWord* word) {
  static const uint32_t never = 0;
  static_assert(StopWord::is_always_lock_free && sizeof(StopWord) == sizeof(uint32_t));
  return word != nullptr ? reinterpret_cast<const uint32_t*>(word) : &never;
}

/// Work that is not a region: library calls, sorting, scattering. Immutable, so calls share it.
class Hero {
 public:
  virtual ~Hero() = default;
  /// `buffers`: operands, then results; dense and row-major, but for those of which the request has a view.
  virtual Status run(void* const* buffers, const CallContext& context) const = 0;
  /// The result's memory must hold operand 0 when run() begins.
  virtual bool updates_in_place() const { return false; }
  /// Memory that it keeps beside its buffers, or that its first run will.
  virtual int64_t table_bytes() const { return 0; }
};

/// The code that a call is bound to: compiled while its plan is made, found in the plan when that is loaded.
class InnerCode {
 public:
  virtual ~InnerCode() = default;
  /// Precondition: is_scalar_function.
  virtual StatusOr<ScalarFunction> scalar_program(const hlo::Computation& computation) = 0;
  virtual StatusOr<ScatterFunction> scatter_kernel(const ScatterKernelSpec& spec) = 0;
};

/// What a call is made of.
struct HeroRequest {
  LibraryProblem problem;
  Isa isa;
  InnerCode& code;
  std::span<const OperandView> views = {};  ///< of operands, then results; empty: all are dense

  OperandView view(size_t place) const { return views.empty() ? OperandView() : views[place]; }
};

}  // namespace hilo::cpu
