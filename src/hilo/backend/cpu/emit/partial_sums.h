// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/partial_sums.h -- sums of stretches, joined in pairs while a loop runs: the error of a sum grows with
// the logarithm of its length.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// Counts stretches as a binary number: where its bit k is set, memory holds the sums of 2^k stretches, and earlier ones
/// lie above later ones. A new stretch is joined with what each carry meets.
class PartialSums {
 public:
  using Join = std::function<Values(const Values& earlier, const Values& later)>;

  /// For `stretches` stretches, at least one, each of which has a sum of each of `types`. At the builder's place counting
  /// begins; it has one lane.
  PartialSums(SimdBuilder& scalar, std::vector<llvm::Type*> types, int64_t stretches, Join join);

  /// Takes the sums of the next stretch.
  void push(const Values& sums);

  /// The sums of all stretches, once all are in.
  Values total();

 private:
  Values load(llvm::Value* level);
  void store(llvm::Value* level, const Values& sums);
  llvm::Value* above(llvm::Value* level, int64_t levels = 1);

  SimdBuilder& b_;
  llvm::IRBuilder<>& ir_;
  std::vector<llvm::Type*> types_;
  std::vector<int64_t> offsets_;  ///< of each sum in a level, in bytes
  int64_t level_bytes_ = 0, stretches_;
  Join join_;
  llvm::Value* memory_;
  llvm::Value* count_;
};

}  // namespace hilo::cpu
