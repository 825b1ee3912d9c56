// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/lane_memory.h -- moves between arrays with a batch (engine/register_loop.h) and registers, of which
// each has one element of several indices of the batch.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/types/shape.h"

namespace hilo::cpu {

/// The slice of `extents` elements of an array that begins at `start` along one dimension, and at 0 along the others.
struct MemorySlice {
  const Shape& array;
  const Shape& extents;
  llvm::Value* start = nullptr;  ///< i64, at most the last place; null for 0
};

/// Loads and stores for `count` indices of the batch from `first` on. Each element is a register; it has one lane if
/// the array has no batch dimension.
class LaneMemory {
 public:
  /// Without a batch, `first` and `count` are null.
  LaneMemory(SimdBuilder& b, int64_t batch, llvm::Value* first, llvm::Value* count);

  Values load(const MemorySlice& slice, llvm::Value* pointer);
  void store(const MemorySlice& slice, llvm::Value* pointer, const Values& elements);

 private:
  /// Elements that are next to each other for each index of the batch: `stride` is the distance between indices.
  struct Columns {
    ElementType type;
    llvm::Value *pointer, *at;
    int64_t stride;
    size_t count;
  };

  std::vector<Columns> columns_of(const MemorySlice& slice, llvm::Value* pointer);
  llvm::Value* offset_of(const MemorySlice& slice);
  Values load_columns_of(const Columns& c);
  void store_columns_of(const Columns& c, const Values& elements);
  void each_index(const Columns& c, const std::function<void(llvm::Value* lane, llvm::Value* in_column)>& visit);
  void copy(ElementType type, llvm::Value* from, llvm::Value* from_at, llvm::Value* to, llvm::Value* to_at);
  llvm::Value* row();
  template <typename Whole, typename Tail> Values either(const Whole& whole, const Tail& tail);

  SimdBuilder& b_;
  int64_t batch_;
  llvm::Value *first_, *count_;
  llvm::Value* is_whole_ = nullptr;  ///< whether all lanes have an index; null if that is certain
  llvm::Value* row_ = nullptr;
};

}  // namespace hilo::cpu
