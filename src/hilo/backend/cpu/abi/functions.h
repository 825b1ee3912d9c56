// SPDX-License-Identifier: Apache-2.0
// backend/cpu/abi/functions.h -- the interface between compiled code and its callers.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// The kernel of a region. Buffers are its inputs, then its outputs. [begin, end) is the part of the outermost outer
/// dimension to compute; it is ignored if there is no such dimension.
using RegionKernel = void (*)(void* const* buffers, int64_t begin, int64_t end);

/// A computation over scalars. Reads one scalar per leaf of the parameters and writes one per leaf of the result. Polls
/// *cancel_word at back edges (never null). Returns 0, or 1 if cancelled.
using ScalarFunction = int32_t (*)(const void* const* arguments, void* const* results, const uint32_t* cancel_word);

/// A program as straight-line code, for indices begin .. end of its batch, at least as many as a vector has lanes. The
/// buffers are the leaves of its arguments, then those of its results, then the guard of StraightLineChoice, if any.
using StraightLineFunction = void (*)(void* const* buffers, int64_t begin, int64_t end);

struct LoopContext;
struct LoopHost;
enum : int32_t { kLoopDone = 0, kLoopCancelled = 1, kLoopFailed = 2 };

/// A whole loop. `pointers` are those of WholeLoop::slots. On return they point to the final carry.
using LoopFunction = int32_t (*)(LoopContext* context, void** pointers);

/// The environment of a whole loop's code.
struct LoopContext {
  /// returns 0 if the loop may continue
  int32_t (*run_step)(LoopContext* context, uint32_t number, void* const* arguments);
  const uint32_t* cancel_word;  ///< never null
  const RegionKernel* kernels;
  LoopHost* host;
};

}  // namespace hilo::cpu
