// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/partial_sums.h -- sums of chunks, joined in pairs while a loop runs. The error of a sum grows with
// the logarithm of its length.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// Counts chunks as a binary number: if bit k is set, memory contains the sum of 2^k chunks. Sums of earlier chunks are
/// above those of later ones. A new chunk is joined with one stored sum per carry.
class PartialSums {
 public:
  using Join = std::function<Values(const Values& earlier, const Values& later)>;

  /// Emits the start of the count. There is at least one chunk; each has one sum of each of `types`. The builder has
  /// one lane.
  PartialSums(SimdBuilder& scalar, std::vector<llvm::Type*> types, int64_t chunks, Join join);

  /// Adds the sums of the next chunk.
  void push(const Values& sums);

  /// Returns the sums of all chunks after the last push().
  Values total();

 private:
  Values load(llvm::Value* level);
  void store(llvm::Value* level, const Values& sums);
  llvm::Value* above(llvm::Value* level, int64_t levels = 1);

  SimdBuilder& b_;
  llvm::IRBuilder<>& ir_;
  std::vector<llvm::Type*> types_;
  std::vector<int64_t> offsets_;  ///< byte offset of each sum in a level
  int64_t level_bytes_ = 0, chunks_;
  Join join_;
  llvm::Value* memory_;
  llvm::Value* count_;
};

}  // namespace hilo::cpu
