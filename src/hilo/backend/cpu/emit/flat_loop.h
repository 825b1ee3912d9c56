// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/flat_loop.h -- a loop over flat arrays, W elements a turn, whose body is emitted once.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// A contiguous array that the loop reads or writes from its start on.
struct Stream {
  ElementType type;
  llvm::Value* pointer;
};

/// Emits: for each i in [0, count) outputs[k][i] = body(inputs[0][i], ...)[k], on W lanes at once.
/// What is left over at the end (count mod W elements) goes through the same body by way of zero-padded buffers on the
/// stack: instruction selection is the dearest part of compiling, and a second body for the tail would double it.
/// An output may be one of the inputs. Touches nothing outside [0, count). Turns are independent and in rising order.
/// Errors: those of `body`.
Status emit_flat_loop(SimdBuilder& b, llvm::Value* count, std::span<const Stream> inputs,
                      std::span<const Stream> outputs, const std::function<StatusOr<Values>(const Values&)>& body);

}  // namespace hilo::cpu
