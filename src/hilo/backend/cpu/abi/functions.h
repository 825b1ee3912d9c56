// SPDX-License-Identifier: Apache-2.0
// backend/cpu/abi/functions.h -- what compiled code looks like to who calls it.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// A region: buffers are its inputs, then its outputs; [begin, end) is the part of the outermost outer dimension to compute
/// (ignored if there is none).
using RegionKernel = void (*)(void* const* buffers, int64_t begin, int64_t end);

/// A computation over scalars: reads one per leaf of the parameters, writes one per leaf of the result. Polls *cancel_word at
/// back edges (never null). Returns 0, or 1 if cancelled.
using ScalarFunction = int32_t (*)(const void* const* arguments, void* const* results, const uint32_t* cancel_word);

struct LoopContext;
struct LoopHost;
enum : int32_t { kLoopDone = 0, kLoopCancelled = 1, kLoopFailed = 2 };

/// A whole loop. `pointers` are those of WholeLoop::slots; on return, where the carry ended up.
using LoopFunction = int32_t (*)(LoopContext* context, void** pointers);

/// What that code needs of its surroundings.
struct LoopContext {
  int32_t (*run_step)(LoopContext* context, uint32_t number, void* const* arguments);  ///< 0 if the loop may go on
  const uint32_t* cancel_word;                                                         ///< never null
  const RegionKernel* kernels;
  LoopHost* host;
};

}  // namespace hilo::cpu
