// SPDX-License-Identifier: Apache-2.0
// backend/cpu/abi/register_loop.h -- the interface between the code of a loop in registers and its callers.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// Threads share a batch in parts of as many indices.
inline constexpr int64_t kIndicesOfThread = 64;

/// A loop with its carry in registers (engine/register_loop.h), for the indices [begin, end) of its batch; `begin` is a
/// multiple of kIndicesOfThread. It reads one array per leaf of the carry and writes one. All of an index is read
/// before any of it is written. A leaf in memory is read and written where its result is, which holds its first value
/// when the loop begins. Polls *cancel_word at back edges (never null). Returns 0, or 1 if cancelled.
using RegisterLoopFunction = int32_t (*)(const void* const* arguments, void* const* results,
                                         const uint32_t* cancel_word, int64_t begin, int64_t end);

}  // namespace hilo::cpu
