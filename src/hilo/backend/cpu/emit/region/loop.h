// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/loop.h -- the loop over one dimension, which may look at the stop word.
#pragma once

#include "hilo/backend/cpu/emit/region/state.h"

namespace hilo::cpu {

using Inside = std::function<void()>;
using LoopBody = std::function<Values(llvm::Value* i, const Values& carried)>;

/// `inside` with dimension k entered at from, from + step, ... below to; the last step ends at `to`.
void plain_loop(RegionState& s, size_t k, llvm::Value* from, llvm::Value* to, int64_t step, const Inside& inside);

/// `inside` with dimension k entered at `index`.
void at_index(RegionState& s, size_t k, llvm::Value* index, const Inside& inside);

/// SimdBuilder::counted_loop over dimension k.
Values counted_loop(RegionState& s, size_t k, llvm::Value* from, llvm::Value* to, int64_t step, const Values& carried,
                    const LoopBody& body);

/// A loop over parts of `size` indices; the last may be shorter.
Values loop_in_parts(RegionState& s, llvm::Value* from, llvm::Value* to, int64_t size, const Values& carried,
                     const std::function<Values(llvm::Value* begin, llvm::Value* end, const Values& carried)>& body);

/// The end of a part that begins there, of a loop to `to`.
llvm::Value* end_of_part(RegionState& s, llvm::Value* begin, llvm::Value* to, int64_t size);

/// The index of a step at i of dimension k: the last step of a line starts early enough to fit.
llvm::Value* bounded(RegionState& s, size_t k, llvm::Value* i, llvm::Value* end, int64_t step);

/// `end`, or `begin` if the work is to stop: a loop between them is left out then.
llvm::Value* end_unless_stopped(RegionState& s, llvm::Value* begin, llvm::Value* end);

}  // namespace hilo::cpu
