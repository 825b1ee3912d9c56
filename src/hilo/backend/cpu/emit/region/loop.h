// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/loop.h -- the loop over one dimension, which may check the stop word.
#pragma once

#include "hilo/backend/cpu/emit/region/state.h"

namespace hilo::cpu {

using Inside = std::function<void()>;
using LoopBody = std::function<Values(llvm::Value* i, const Values& carried)>;

/// Emits `inside` with dimension k at from, from + step, ... below to. The last step ends at `to`.
void plain_loop(RegionState& s, size_t k, llvm::Value* from, llvm::Value* to, int64_t step, const Inside& inside);

/// Emits `inside` with dimension k at `index`.
void at_index(RegionState& s, size_t k, llvm::Value* index, const Inside& inside);

/// Emits SimdBuilder::counted_loop over dimension k.
Values counted_loop(RegionState& s, size_t k, llvm::Value* from, llvm::Value* to, int64_t step, const Values& carried,
                    const LoopBody& body);

/// Emits a loop over parts of `size` indices; the last one may be shorter.
Values loop_in_parts(RegionState& s, llvm::Value* from, llvm::Value* to, int64_t size, const Values& carried,
                     const std::function<Values(llvm::Value* begin, llvm::Value* end, const Values& carried)>& body);

/// Emits the end of a part that begins at `begin`, in a loop to `to`.
llvm::Value* end_of_part(RegionState& s, llvm::Value* begin, llvm::Value* to, int64_t size);

/// Emits the index of a step at i of dimension k. The last step of a line starts earlier if necessary, so that it fits.
llvm::Value* bounded(RegionState& s, size_t k, llvm::Value* i, llvm::Value* end, int64_t step);

/// Emits `end`, or `begin` if the work must stop. A loop between the two is then empty.
llvm::Value* end_unless_stopped(RegionState& s, llvm::Value* begin, llvm::Value* end);

}  // namespace hilo::cpu
