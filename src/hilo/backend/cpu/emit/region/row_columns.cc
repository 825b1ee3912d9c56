// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/loop_forms.h"

#include <algorithm>
#include <bit>

#include "hilo/backend/cpu/emit/region/facts.h"
#include "hilo/backend/cpu/emit/region/index.h"
#include "hilo/backend/cpu/emit/settled.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

/// As many rows of `length` elements as there are lanes. The first begins at element `at` of `pointer`. The tile
/// contains column k from element k * lanes on; lane r is element k of row r.
/// Example   rows of 3 on 4 lanes: a0 a1 a2 b0 b1 b2 c0 c1 c2 d0 d1 d2 becomes a0 b0 c0 d0, a1 b1 c1 d1, a2 b2 c2 d2
struct ShortRows {
  ElementType type;
  int64_t length;
  llvm::Value *pointer, *at, *tile;
};

constexpr int64_t kMaxPicked = 4;  // columns that are selected from all vectors; longer rows are transposed in squares

/// Moves bits as they are in memory, one register at a time. Accesses only the rows.
/// Preconditions: more than one lane; at least 2 elements a row; no complex numbers
class Mover {
 public:
  Mover(SimdBuilder& b, const ShortRows& rows)
      : b_(b), ir_(b.ir()), rows_(rows), lanes_(b.lanes()), scalar_(b.memory_scalar(rows.type)) {}

  void load() {
    if (rows_.length <= kMaxPicked) return pick_columns();
    for (int64_t first = 0; first < rows_.length; first += lanes_) {
      Values square;
      for (int64_t r = 0; r < lanes_; ++r) square.push_back(load_part(r * rows_.length + first));
      turn(square);
      for (int64_t k = 0; k < std::min(lanes_, rows_.length - first); ++k) store_column(first + k, square[k]);
    }
  }

  void store() {
    if (rows_.length <= kMaxPicked) return pick_rows();
    for (int64_t first = 0; first < rows_.length; first += lanes_) {
      const int64_t count = std::min(lanes_, rows_.length - first);
      Values square;
      for (int64_t k = 0; k < lanes_; ++k)
        square.push_back(k < count ? load_column(first + k) : llvm::PoisonValue::get(vector(lanes_)));
      turn(square);
      for (int64_t r = 0; r < lanes_; ++r) store_part(square[r], count, r * rows_.length + first);
    }
  }

 private:
  using Order = std::vector<int>;  // indices of lanes; from lanes_ on, of the second vector

  llvm::Type* vector(int64_t lanes) { return llvm::FixedVectorType::get(scalar_, static_cast<unsigned>(lanes)); }
  llvm::Align align() const { return llvm::Align(static_cast<uint64_t>(element_size_bytes(rows_.type))); }
  Value* address(int64_t element) {
    return ir_.CreateGEP(scalar_, rows_.pointer, ir_.CreateAdd(rows_.at, b_.index(element)));
  }
  Value* column(int64_t k) { return ir_.CreateGEP(scalar_, rows_.tile, b_.index(k * lanes_)); }
  Value* load_column(int64_t k) { return ir_.CreateAlignedLoad(vector(lanes_), column(k), align()); }
  void store_column(int64_t k, Value* value) { ir_.CreateAlignedStore(value, column(k), align()); }

  /// Loads a register from element `begin` of the rows on. Doesn't read past the last row.
  Value* load_part(int64_t begin) {
    const int64_t last = lanes_ * rows_.length - lanes_, beyond = std::max<int64_t>(begin - last, 0);
    Value* part = ir_.CreateAlignedLoad(vector(lanes_), address(begin - beyond), align());
    if (beyond == 0) return part;
    Order order(lanes_, -1);
    for (int64_t i = 0; i + beyond < lanes_; ++i) order[i] = static_cast<int>(i + beyond);
    return ir_.CreateShuffleVector(part, order);
  }

  /// Stores the first `count` lanes, in pieces of 2^n.
  void store_part(Value* value, int64_t count, int64_t begin) {
    for (int64_t done = 0; done < count;) {
      const int64_t size = std::bit_floor(static_cast<uint64_t>(count - done));
      Order order;
      for (int64_t i = 0; i < size; ++i) order.push_back(static_cast<int>(done + i));
      ir_.CreateAlignedStore(ir_.CreateShuffleVector(value, order), address(begin + done), align());
      done += size;
    }
  }

  /// Exchanges lane i of vector k and lane k of vector i, one bit of their numbers at a time.
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
        square[i] = settled(ir_, ir_.CreateShuffleVector(a, c, low));
        square[i + bit] = settled(ir_, ir_.CreateShuffleVector(a, c, high));
      }
    }
  }

  /// Selects for lane i the source place(i): a vector, and a lane of it.
  template <typename Place>
  Value* picked(const Values& vectors, const Place& place) {
    Value* all = vectors[0];
    for (size_t v = 1; v < vectors.size(); ++v) {
      Order order;
      for (int64_t i = 0; i < lanes_; ++i) {
        const auto [from, lane] = place(i);
        const int64_t unmoved = v == 1 ? lane : i;  // the first shuffle also moves elements of the first vector
        order.push_back(static_cast<int>(from == static_cast<int64_t>(v) ? lanes_ + lane : unmoved));
      }
      all = ir_.CreateShuffleVector(all, vectors[v], order);
    }
    return settled(ir_, all);
  }
  void pick_columns() {
    Values parts;
    for (int64_t v = 0; v < rows_.length; ++v) parts.push_back(load_part(v * lanes_));
    for (int64_t k = 0; k < rows_.length; ++k)
      store_column(k, picked(parts, [&](int64_t row) { return divided(row * rows_.length + k, lanes_); }));
  }
  void pick_rows() {
    Values columns;
    for (int64_t k = 0; k < rows_.length; ++k) columns.push_back(load_column(k));
    for (int64_t v = 0; v < rows_.length; ++v) {
      const auto place = [&](int64_t i) {
        const auto [row, column] = divided(v * lanes_ + i, rows_.length);
        return std::pair(column, row);
      };
      store_part(picked(columns, place), lanes_, v * lanes_);
    }
  }
  static std::pair<int64_t, int64_t> divided(int64_t a, int64_t b) { return {a / b, a % b}; }

  SimdBuilder& b_;
  llvm::IRBuilder<>& ir_;
  ShortRows rows_;
  int64_t lanes_;
  llvm::Type* scalar_;
};

/// Returns the number of elements of a row if they are dense, in consecutive lanes, and the region reads all of them;
/// otherwise 0.
int64_t short_row_of(const RegionState& s, const IndexExpr& index, ElementType type) {
  if (!s.across_rows() || s.facts.shape.lanes == 1 || s.facts.shape.block_rows > 1 || is_complex(type) ||
      !index.terms.empty())
    return 0;
  const int64_t length = index.coefficient(s.facts.shape.vector_dimension);
  int64_t last = 0;
  for (size_t k = s.region.row_begin; k < s.region.extents.size(); ++k) {
    if (index.coefficient(k) < 0) return 0;
    last += index.coefficient(k) * (s.region.extents[k] - 1);
  }
  return last > 0 && last < kMaxShortRow && length == last + 1 ? length : 0;
}

}  // namespace

void make_row_columns(RegionState& s) {
  const auto tile = [&](const IndexExpr& index, ElementType type) -> Value* {
    const int64_t length = short_row_of(s, index, type);
    return length == 0 ? nullptr : s.scalar.stack(length * s.facts.shape.lanes * element_size_bytes(type));
  };
  for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
    const RegionNode& node = s.region.nodes[n];
    const bool is_plain = node.kind == NodeKind::kLoad && node.guards.empty();
    s.columns.loaded.push_back(is_plain && s.known.empty() ? tile(node.index, node.type) : nullptr);
  }
  for (const RegionOutput& o : s.region.outputs) s.columns.stored.push_back(tile(o.index, o.type));
}

void load_row_columns(RegionState& s) {
  for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
    if (s.columns.loaded[n] == nullptr) continue;
    const RegionNode& node = s.region.nodes[n];
    Mover(s.wide, {node.type, short_row_of(s, node.index, node.type), s.buffers[node.input],
                   scalar_index(s, s.node_expression[n]), s.columns.loaded[n]})
        .load();
  }
}

void store_row_columns(RegionState& s) {
  for (size_t k = 0; k < s.region.outputs.size(); ++k) {
    if (s.columns.stored[k] == nullptr) continue;
    const RegionOutput& o = s.region.outputs[k];
    Mover(s.wide, {o.type, short_row_of(s, o.index, o.type), s.buffers[s.region.inputs.size() + k],
                   scalar_index(s, s.output_expression[k]), s.columns.stored[k]})
        .store();
  }
}

}  // namespace hilo::cpu
