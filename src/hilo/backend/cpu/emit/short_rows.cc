// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/short_rows.h"

#include <algorithm>
#include <bit>

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr int64_t kLongestPicked = 4;  // columns that are picked from all vectors; longer rows are turned in squares

/// Bits as they lie in memory, one register at a time.
class Mover {
 public:
  Mover(SimdBuilder& b, const ShortRows& rows)
      : b_(b), ir_(b.ir()), rows_(rows), lanes_(b.lanes()), scalar_(b.memory_scalar(rows.type)) {}

  void load() {
    if (rows_.length <= kLongestPicked) return pick_columns();
    for (int64_t first = 0; first < rows_.length; first += lanes_) {
      Values square;
      for (int64_t r = 0; r < lanes_; ++r) square.push_back(load_part(r * rows_.length + first));
      turn(square);
      for (int64_t k = 0; k < std::min(lanes_, rows_.length - first); ++k)
        store_column(first + k, square[static_cast<size_t>(k)]);
    }
  }

  void store() {
    if (rows_.length <= kLongestPicked) return pick_rows();
    for (int64_t first = 0; first < rows_.length; first += lanes_) {
      const int64_t count = std::min(lanes_, rows_.length - first);
      Values square;
      for (int64_t k = 0; k < lanes_; ++k)
        square.push_back(k < count ? load_column(first + k) : llvm::PoisonValue::get(vector(lanes_)));
      turn(square);
      for (int64_t r = 0; r < lanes_; ++r) store_part(square[static_cast<size_t>(r)], count, r * rows_.length + first);
    }
  }

 private:
  using Order = std::vector<int>;  // of lanes; from lanes_ on, of the second vector

  llvm::Type* vector(int64_t lanes) { return llvm::FixedVectorType::get(scalar_, static_cast<unsigned>(lanes)); }
  llvm::Align align() const { return llvm::Align(static_cast<uint64_t>(element_size_bytes(rows_.type))); }
  Value* address(int64_t element) {
    return ir_.CreateGEP(scalar_, rows_.pointer, ir_.CreateAdd(rows_.at, b_.index(element)));
  }
  Value* column(int64_t k) { return ir_.CreateGEP(scalar_, rows_.tile, b_.index(k * lanes_)); }
  Value* load_column(int64_t k) { return ir_.CreateAlignedLoad(vector(lanes_), column(k), align()); }
  void store_column(int64_t k, Value* value) { ir_.CreateAlignedStore(value, column(k), align()); }

  /// A register from element `begin` of the rows on. What would lie past the last row isn't read.
  Value* load_part(int64_t begin) {
    const int64_t last = lanes_ * rows_.length - lanes_, beyond = std::max<int64_t>(begin - last, 0);
    Value* part = ir_.CreateAlignedLoad(vector(lanes_), address(begin - beyond), align());
    if (beyond == 0) return part;
    Order order(static_cast<size_t>(lanes_), -1);
    for (int64_t i = 0; i + beyond < lanes_; ++i) order[static_cast<size_t>(i)] = static_cast<int>(i + beyond);
    return ir_.CreateShuffleVector(part, order);
  }

  /// The first `count` lanes, in pieces of 2^n.
  void store_part(Value* value, int64_t count, int64_t begin) {
    for (int64_t done = 0; done < count;) {
      const auto size = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count - done)));
      Order order;
      for (int64_t i = 0; i < size; ++i) order.push_back(static_cast<int>(done + i));
      ir_.CreateAlignedStore(ir_.CreateShuffleVector(value, order), address(begin + done), align());
      done += size;
    }
  }

  /// Lane i of vector k and lane k of vector i change places: bit by bit of their numbers.
  void turn(Values& square) {
    for (size_t bit = 1; bit < square.size(); bit *= 2) {
      Order low, high;
      for (size_t i = 0; i < square.size(); ++i) {
        low.push_back(static_cast<int>((i & bit) == 0 ? i : square.size() + i - bit));
        high.push_back(static_cast<int>((i & bit) == 0 ? i + bit : square.size() + i));
      }
      for (size_t i = 0; i < square.size(); ++i) {
        if ((i & bit) != 0) continue;
        Value *const a = square[i], *const c = square[i + bit];
        square[i] = ir_.CreateShuffleVector(a, c, low);
        square[i + bit] = ir_.CreateShuffleVector(a, c, high);
      }
    }
  }

  /// Lane i is lane `lane(i)` of vector `from(i)`.
  template <typename From, typename Lane>
  Value* picked(const Values& vectors, const From& from, const Lane& lane) {
    Value* all = vectors[0];
    for (size_t v = 1; v < vectors.size(); ++v) {
      Order order;
      for (int64_t i = 0; i < lanes_; ++i) {
        const int64_t kept = v == 1 ? lane(i) : i;  // the first shuffle moves the first vector's elements too
        order.push_back(static_cast<int>(from(i) == static_cast<int64_t>(v) ? lanes_ + lane(i) : kept));
      }
      all = ir_.CreateShuffleVector(all, vectors[v], order);
    }
    return all;
  }
  void pick_columns() {
    Values parts;
    for (int64_t v = 0; v < rows_.length; ++v) parts.push_back(load_part(v * lanes_));
    for (int64_t k = 0; k < rows_.length; ++k) {
      const auto element = [&](int64_t row) { return row * rows_.length + k; };
      store_column(k, picked(
                          parts, [&](int64_t r) { return element(r) / lanes_; },
                          [&](int64_t r) { return element(r) % lanes_; }));
    }
  }
  void pick_rows() {
    Values columns;
    for (int64_t k = 0; k < rows_.length; ++k) columns.push_back(load_column(k));
    for (int64_t v = 0; v < rows_.length; ++v) {
      const auto element = [&](int64_t i) { return v * lanes_ + i; };
      store_part(picked(
                     columns, [&](int64_t i) { return element(i) % rows_.length; },
                     [&](int64_t i) { return element(i) / rows_.length; }),
                 lanes_, v * lanes_);
    }
  }

  SimdBuilder& b_;
  llvm::IRBuilder<>& ir_;
  const ShortRows& rows_;
  int64_t lanes_;
  llvm::Type* scalar_;
};

}  // namespace

void load_columns(SimdBuilder& b, const ShortRows& rows) { Mover(b, rows).load(); }
void store_columns(SimdBuilder& b, const ShortRows& rows) { Mover(b, rows).store(); }

}  // namespace hilo::cpu
