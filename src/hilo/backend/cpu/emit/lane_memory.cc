// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/lane_memory.h"

#include <numeric>

#include "hilo/backend/cpu/abi/register_loop.h"
#include "hilo/backend/cpu/emit/interleave.h"
#include "hilo/engine/element_moves.h"
#include "hilo/engine/register_loop.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

constexpr int64_t kMaxShuffled = 8;  // columns that are moved by shuffles

}  // namespace

LaneMemory::LaneMemory(SimdBuilder& b, int64_t batch, Value* first, Value* count)
    : b_(b), batch_(batch), first_(first), count_(count) {
  const bool is_certain = b.lanes() == 1 || (kIndicesOfThread % b.lanes() == 0 && batch % b.lanes() == 0);
  if (count != nullptr && !is_certain) is_whole_ = b.ir().CreateICmpEQ(count, b.index(b.lanes()));
}

Values LaneMemory::load(const MemorySlice& slice, Value* pointer) {
  Values elements;
  for (const Columns& c : columns_of(slice, pointer)) {
    const Values loaded = load_columns_of(c);
    elements.insert(elements.end(), loaded.begin(), loaded.end());
  }
  return elements;
}

void LaneMemory::store(const MemorySlice& slice, Value* pointer, const Values& elements) {
  auto next = elements.begin();
  for (const Columns& c : columns_of(slice, pointer)) {
    store_columns_of(c, Values(next, next + static_cast<std::ptrdiff_t>(c.count)));
    next += static_cast<std::ptrdiff_t>(c.count);
  }
}

/// Returns the columns in the order of the slice's elements.
std::vector<LaneMemory::Columns> LaneMemory::columns_of(const MemorySlice& slice, Value* pointer) {
  const std::vector<int64_t> strides = row_major_strides(slice.array.dimensions());
  const std::vector<int64_t> extents = engine::extents_per_index(slice.extents, batch_);
  const std::optional<size_t> lanes = engine::batch_dimension(slice.array, batch_);
  const int64_t stride = lanes ? strides[*lanes] : 0;
  Value* const offset = offset_of(slice);
  std::vector<Columns> all;
  int64_t end = -1;  // behind the last element of all.back(), relative to the slice's beginning
  for (int64_t e = 0; e < engine::elements_per_index(slice.extents, batch_); ++e) {
    const std::vector<int64_t> at = engine::indices_of(extents, e);
    const int64_t place = std::inner_product(at.begin(), at.end(), strides.begin(), int64_t{0});
    if (place == end && stride > 1 && static_cast<int64_t>(all.back().count) < stride) ++all.back().count;
    else all.push_back({slice.array.element_type(), pointer, b_.ir().CreateAdd(offset, b_.index(place)), stride, 1});
    end = place + 1;
  }
  return all;
}

/// Emits the place of the slice's first element of the first index.
Value* LaneMemory::offset_of(const MemorySlice& slice) {
  auto& ir = b_.ir();
  const std::vector<int64_t> strides = row_major_strides(slice.array.dimensions());
  const std::optional<size_t> lanes = engine::batch_dimension(slice.array, batch_);
  Value* offset = lanes ? ir.CreateMul(first_, b_.index(strides[*lanes])) : b_.index(0);
  for (size_t d = 0; slice.start != nullptr && d < strides.size(); ++d) {
    const int64_t whole = slice.array.dimensions()[d], part = slice.extents.dimensions()[d];
    if (whole != part) offset = ir.CreateAdd(offset, ir.CreateMul(slice.start, b_.index(strides[d])));
  }
  return offset;
}

// Lanes without an index load valid memory instead of using a mask: if no instruction takes a mask, LLVM writes a
// branch for each lane.
Values LaneMemory::load_columns_of(const Columns& c) {
  auto& ir = b_.ir();
  const auto place = [&](size_t k) { return ir.CreateAdd(c.at, b_.index(static_cast<int64_t>(k))); };
  Values loaded;
  if (c.stride == 0 || b_.lanes() == 1) {
    for (size_t k = 0; k < c.count; ++k) loaded.push_back(b_.load_scalar(c.type, c.pointer, place(k)));
    return loaded;
  }
  if (c.stride == 1) {
    return either([&] { return Values{b_.load(c.type, c.pointer, c.at)}; },
                  [&] { return Values{b_.load_tail(c.type, c.pointer, c.at, count_)}; });
  }
  const auto whole = [&] {
    std::vector<int64_t> columns(c.count);
    std::iota(columns.begin(), columns.end(), 0);
    if (c.stride <= kMaxShuffled) return load_columns(b_, c.type, c.pointer, c.at, c.stride, columns);
    Values each;
    for (size_t k = 0; k < c.count; ++k)
      each.push_back(b_.load_strided(c.type, c.pointer, place(k), b_.index(c.stride), nullptr));
    return each;
  };
  const auto tail = [&] {
    Values each;
    for (size_t k = 0; k < c.count; ++k) {
      ir.CreateMemSet(row(), ir.getInt8(0), static_cast<uint64_t>(element_size_bytes(c.type) * b_.lanes()), {});
      each_index({c.type, c.pointer, place(k), c.stride, 1},
                 [&](Value* lane, Value* in_column) { copy(c.type, c.pointer, in_column, row(), lane); });
      each.push_back(b_.load(c.type, row(), b_.index(0)));
    }
    return each;
  };
  return either(whole, tail);
}

void LaneMemory::store_columns_of(const Columns& c, const Values& elements) {
  auto& ir = b_.ir();
  const auto place = [&](size_t k) { return ir.CreateAdd(c.at, b_.index(static_cast<int64_t>(k))); };
  if (c.stride == 0 || b_.lanes() == 1) {
    for (size_t k = 0; k < c.count; ++k) b_.store_scalar(c.type, elements[k], c.pointer, place(k));
    return;
  }
  const auto by_lanes = [&] {
    for (size_t k = 0; k < c.count; ++k) {
      b_.store(c.type, elements[k], row(), b_.index(0));
      each_index({c.type, c.pointer, place(k), c.stride, 1},
                 [&](Value* lane, Value* in_column) { copy(c.type, row(), lane, c.pointer, in_column); });
    }
    return Values{};
  };
  const auto whole = [&] {
    if (c.stride == 1) b_.store(c.type, elements[0], c.pointer, c.at);
    else if (static_cast<int64_t>(c.count) == c.stride && c.stride <= kMaxShuffled)
      store_columns(b_, c.type, elements, c.pointer, c.at);
    else return by_lanes();
    return Values{};
  };
  const auto tail = [&] {
    if (c.stride != 1) return by_lanes();
    b_.store_tail(c.type, elements[0], c.pointer, c.at, count_);
    return Values{};
  };
  either(whole, tail);
}

template <typename Whole, typename Tail> Values LaneMemory::either(const Whole& whole, const Tail& tail) {
  return is_whole_ == nullptr ? whole() : b_.if_else(is_whole_, whole, tail);
}

void LaneMemory::each_index(const Columns& c, const std::function<void(Value* lane, Value* in_column)>& visit) {
  b_.for_each(b_.index(0), count_, b_.index(1),
              [&](Value* lane) { visit(lane, b_.ir().CreateAdd(c.at, b_.ir().CreateMul(lane, b_.index(c.stride)))); });
}

void LaneMemory::copy(ElementType type, Value* from, Value* from_at, Value* to, Value* to_at) {
  auto& ir = b_.ir();
  llvm::Type* const element = b_.memory_scalar(type);
  const llvm::Align align(1);
  Value* const bits = ir.CreateAlignedLoad(element, ir.CreateGEP(element, from, from_at), align);
  ir.CreateAlignedStore(bits, ir.CreateGEP(element, to, to_at), align);
}

/// Returns stack memory for the lanes of any column.
Value* LaneMemory::row() {
  constexpr int64_t kWidest = 16;
  if (row_ == nullptr) row_ = b_.stack(kWidest * b_.lanes());
  return row_;
}

}  // namespace hilo::cpu
