// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/float_product.h"
#include "hilo/backend/cpu/library/rounding.h"

#include <unistd.h>

#include <algorithm>

#include "hilo/base/buffer_pool.h"
#include "hilo/base/stop.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kLineWords = 16;  // of a cache line or two
constexpr int64_t kFewRows = 96;    // which read the right operand in place, or in strips that are half as long
constexpr int64_t kManyStrips = 8;
constexpr int64_t kLinesAtOnce = 16;
constexpr int64_t kLongSum = 192;
constexpr int64_t kColumnsAtOnce = 256;   // columns, of rows that are read completely
constexpr int64_t kFarApart = 2048;       // bytes between rows of which little is read at once
constexpr int64_t kFewPages = 256 << 10;  // bytes from the first to the last row that are read in place
constexpr int64_t kCrowded = 1024;        // bytes between lines; multiples of this map to few sets of a cache
constexpr int64_t kSmallElements = 4096, kVectorAlignment = 64;
constexpr int64_t kWays = 8;  // minimum number of lines per set

/// Returns the depth of chunks of k that are as equal as possible.
int64_t depth_of(int64_t k, int64_t most) { return round_up(pieces_of(k, pieces_of(k, most)), kLineWords); }

/// Returns the bytes of the left operand per block: a quarter of the L2 cache.
int64_t left_bytes() {
  constexpr int64_t kLeast = 128 << 10, kMost = 512 << 10;
  static const int64_t bytes = std::clamp<int64_t>(::sysconf(_SC_LEVEL2_CACHE_SIZE) / 4, kLeast, kMost);
  return bytes;
}

/// A block of the left operand.
struct LeftBlock {
  const std::byte* data;
  int64_t row, k;  ///< strides
};

class FloatProduct {
 public:
  FloatProduct(const StripKernels& kernels, const StripProduct& p)
      : kernels_(kernels),
        steps_(*kernels.floats),
        p_(p),
        extents_(extents_of(steps_, p)),
        depth_(depth_of(std::max<int64_t>(p.k, 1), p.a.lines <= kFewRows ? steps_.depth / 2 : steps_.depth)),
        tiles_(pieces_of(p.a.lines, extents_.rows)),
        blocks_(pieces_of(tiles_, std::max<int64_t>(left_bytes() / (depth_ * steps_.result * extents_.rows), 1))),
        columns_at_once_(std::min(round_up(p.b.lines, extents_.columns), kernels.columns_at_once)),
        packs_right_(must_pack_right()),
        copies_left_(must_copy_left()) {}

  Status reserve() {
    const int64_t columns = packs_right_ ? columns_at_once_ : p_.b.lines % steps_.lanes == 0 ? 0 : extents_.columns;
    if (columns > 0) {
      const int64_t bytes = columns * depth_ * steps_.result;
      HILO_ASSIGN_OR_RETURN(columns_, allocate_buffer(bytes));
    }
    if (!copies_left_) return ok_status();
    const int64_t rows = (pieces_of(tiles_, blocks_) + 1) * extents_.rows;
    HILO_ASSIGN_OR_RETURN(rows_, allocate_buffer(rows * (depth_ + kLineWords) * steps_.result));
    return ok_status();
  }

  void run() {
    for (int64_t column = 0; column < p_.b.lines; column += columns_at_once_) {
      int64_t k = 0;
      do {
        for (int64_t block = 0; block < blocks_ && !stop_.raised(); ++block) run_block(column, k, block);
        k += depth_;
      } while (k < p_.k && !stop_.raised());
    }
  }

 private:
  /// Wide tiles read suitable rows in place. Tall tiles need few columns, and rows that fit in one tile.
  static TileExtents extents_of(const FloatSteps& steps, const StripProduct& p) {
    const bool fills_tall = p.a.lines > steps.wide.rows || p.b.line_stride != 1;
    const bool is_tall = p.b.lines <= steps.tall.columns || (fills_tall && p.a.lines <= steps.tall.rows);
    return is_tall ? steps.tall : steps.wide;
  }

  bool must_pack_right() const {
    if (p_.b.line_stride != 1 || steps_.is_converted) return true;
    if (p_.a.lines <= (is_right_near() ? kFewRows : extents_.rows)) return false;
    return p_.b.k_stride * std::min(depth_, p_.k) * steps_.result > kFewPages;
  }
  /// Whether its lines are so close that they needn't be read completely.
  bool is_right_near() const { return p_.b.k_stride * steps_.result < kFarApart; }

  bool must_copy_left() const {
    const int64_t strips = pieces_of(p_.b.lines, extents_.columns);
    if (steps_.is_converted) return true;
    if (p_.a.k_stride != 1) return tiles_ > 1;
    return extents_.rows > kWays && strips >= kManyStrips && p_.a.line_stride * steps_.result % kCrowded == 0;
  }

  /// Returns the first row of a tile: all tiles have about the same size.
  int64_t row_of(int64_t tile) const { return p_.a.lines * tile / tiles_; }

  const std::byte* left(int64_t row, int64_t k) const {
    return static_cast<const std::byte*>(p_.a.data) + (row * p_.a.line_stride + k * p_.a.k_stride) * kernels_.element;
  }
  const std::byte* right(int64_t column, int64_t k) const {
    return static_cast<const std::byte*>(p_.b.data) +
           (column * p_.b.line_stride + k * p_.b.k_stride) * kernels_.element;
  }

  /// Copies a block of the left operand. Rows of elements along k keep that order, an odd number of cache lines apart.
  /// Other layouts become tiles of columns.
  LeftBlock copy_left(int64_t first_tile, int64_t end_tile, int64_t k, int64_t depth) {
    if (p_.a.k_stride == 1) {
      const int64_t row = row_of(first_tile), stride = (round_up(depth, kLineWords) | kLineWords);
      steps_.copy_lines({left(row, k), p_.a.line_stride, row_of(end_tile) - row, depth, rows_.data(), stride});
      return {rows_.data(), stride, 1};
    }
    for (int64_t done = 0; done < depth; done += kLinesAtOnce) {  // each of which is read completely
      for (int64_t tile = first_tile; tile < end_tile; ++tile) {
        const int64_t row = row_of(tile), at = (tile - first_tile) * depth + done;
        steps_.copy_lines({left(row, k + done), p_.a.k_stride, std::min(kLinesAtOnce, depth - done),
                           row_of(tile + 1) - row, rows_.data() + at * extents_.rows * steps_.result, extents_.rows});
      }
    }
    return {rows_.data(), 1, extents_.rows};
  }

  void run_block(int64_t column, int64_t k, int64_t block) {
    const int64_t depth = std::min(depth_, p_.k - k), columns = std::min(columns_at_once_, p_.b.lines - column);
    const int64_t first_tile = tiles_ * block / blocks_, end_tile = tiles_ * (block + 1) / blocks_;
    LeftBlock a{left(row_of(first_tile), k), p_.a.line_stride, p_.a.k_stride};
    if (copies_left_) a = copy_left(first_tile, end_tile, k, depth);
    // Long sums keep a strip in the L1 cache. Short ones write the result row by row.
    const int64_t at_once = depth < kLongSum ? columns_at_once_ : is_right_near() ? extents_.columns : kColumnsAtOnce;
    for (int64_t j = 0; j < columns && !stop_.raised(); j += at_once) {
      const int64_t end = std::min(j + at_once, columns);
      if (packs_right_ && block == 0) pack_strips(column + j, k, depth, end - j, strip(j, depth));
      if (depth < kLongSum) {
        for (int64_t tile = first_tile; tile < end_tile; ++tile)
          run_tiles(a, first_tile, {tile, tile + 1}, column, {j, end}, k);
      } else {
        for (int64_t s = j; s < end; s += extents_.columns)
          run_tiles(a, first_tile, {first_tile, end_tile}, column, {s, std::min(s + extents_.columns, end)}, k);
      }
    }
  }

  std::byte* strip(int64_t j, int64_t depth) { return columns_.data() + j * depth * steps_.result; }

  void pack_strips(int64_t column, int64_t k, int64_t depth, int64_t columns, void* to) const {
    kernels_.pack_columns({right(column, k), p_.b.line_stride, p_.b.k_stride, columns, extents_.columns, depth, to});
  }

  struct Range {
    int64_t begin, end;
  };

  /// Runs the tiles of a block whose first tile is `first_tile`, on columns from `column` on.
  void run_tiles(const LeftBlock& a, int64_t first_tile, Range tiles, int64_t column, Range columns, int64_t k) {
    const int64_t depth = std::min(depth_, p_.k - k), first_row = row_of(first_tile);
    const bool in_tiles = copies_left_ && p_.a.k_stride != 1;
    FloatTile t{};
    t.k = depth;
    t.a_row = a.row;
    t.a_k = a.k;
    t.c_row = p_.c_row;
    t.adds = k > 0 || p_.adds;
    for (int64_t j = columns.begin; j < columns.end; j += extents_.columns) {
      t.columns = std::min(extents_.columns, columns.end - j);
      const bool is_packed = packs_right_ || t.columns % steps_.lanes != 0;
      if (is_packed && !packs_right_) pack_strips(column + j, k, depth, t.columns, columns_.data());
      t.b = packs_right_ ? strip(j, depth) : is_packed ? columns_.data() : right(column + j, k);
      t.b_k = is_packed ? extents_.columns : p_.b.k_stride;
      for (int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
        const int64_t row = row_of(tile);
        const int64_t at = in_tiles ? (tile - first_tile) * extents_.rows * depth : (row - first_row) * a.row;
        t.a = a.data + at * steps_.result;
        t.rows = row_of(tile + 1) - row;
        t.c = static_cast<std::byte*>(p_.c) + (row * p_.c_row + column + j) * steps_.result;
        steps_.tile(t);
      }
    }
  }

  const StripKernels& kernels_;
  const FloatSteps& steps_;
  const StripProduct& p_;
  TileExtents extents_;
  int64_t depth_, tiles_, blocks_, columns_at_once_;
  bool packs_right_, copies_left_;
  AlignedBuffer columns_, rows_;
  StopFlag stop_;
};

}  // namespace

Status multiply_floats(const StripKernels& kernels, const StripProduct& p) {
  FloatProduct product(kernels, p);
  HILO_RETURN_IF_ERROR(product.reserve());
  product.run();
  return ok_status();
}

bool is_small_product(int64_t m, int64_t n, int64_t k, int64_t lanes) {
  constexpr int64_t kMaxRows = 256, kMaxTerms = 256;
  return m <= kMaxRows && k <= kMaxTerms && round_up(n, lanes) * k <= kSmallElements;
}

void multiply_small(const StripKernels& kernels, const StripProduct& p) {
  const FloatSteps& steps = *kernels.floats;
  alignas(kVectorAlignment) std::byte packed[kSmallElements * sizeof(double)];
  const TileExtents& extents = p.b.lines <= steps.tall.columns ? steps.tall : steps.wide;
  const bool is_in_place = p.b.line_stride == 1 && p.b.lines % steps.lanes == 0;
  for (int64_t column = 0; column < p.b.lines; column += extents.columns) {
    FloatTile t{};
    t.columns = std::min(extents.columns, p.b.lines - column);
    t.b = static_cast<const std::byte*>(p.b.data) + column * p.b.line_stride * kernels.element;
    t.b_k = p.b.k_stride;
    if (!is_in_place) {
      t.b_k = round_up(t.columns, steps.lanes);
      kernels.pack_columns({t.b, p.b.line_stride, p.b.k_stride, t.columns, t.b_k, p.k, packed});
      t.b = packed;
    }
    t.k = p.k;
    t.a_row = p.a.line_stride;
    t.a_k = p.a.k_stride;
    t.c_row = p.c_row;
    t.adds = p.adds;
    for (int64_t row = 0; row < p.a.lines; row += extents.rows) {
      t.a = static_cast<const std::byte*>(p.a.data) + row * p.a.line_stride * kernels.element;
      t.rows = std::min(extents.rows, p.a.lines - row);
      t.c = static_cast<std::byte*>(p.c) + (row * p.c_row + column) * kernels.word;
      steps.tile(t);
    }
  }
}

}  // namespace hilo::cpu
