// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/move/strided_copy.h -- copies between arrays of any strides: transposes of any rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilo::cpu {

/// A dimension of both arrays; strides are in elements.
struct CopiedDimension {
  int64_t extent, from, to;
};

/// The plan of a copy: dimensions are merged where both arrays allow it. Dimensions that are adjacent in one of the
/// arrays each are transposed in vectors; others are copied in the order of a table of places.
class StridedCopy {
 public:
  StridedCopy() = default;
  /// Precondition strides of `to` differ from zero and elements don't overlap there
  StridedCopy(std::span<const CopiedDimension> dimensions, int64_t element_bytes);
  /// Copies, on several threads if it pays off. Stops early if the run has been stopped.
  void run(const void* from, void* to) const;

 private:
  /// A loop around the inner copy; strides are in bytes.
  struct Loop {
    int64_t extent, from, to;
  };
  /// A dimension that is copied in blocks: one of the loops goes over them, and the last one may be partial.
  struct Split {
    int64_t block = 1, extent = 1, loop = -1;
    int64_t count(const std::vector<int64_t>& index) const;
  };

  Split split(const Loop& loop, int64_t block);
  void plan_tiles(const Loop& rows, const Loop& columns);
  void plan_table(std::vector<Loop> dimensions);
  void copy_range(const std::byte* from, std::byte* to, int64_t begin, int64_t end) const;
  void copy_inner(const std::byte* from, std::byte* to, const std::vector<int64_t>& index) const;

  int64_t unit_ = 1;         ///< bytes that are adjacent in both arrays
  std::vector<Loop> loops_;  ///< slowest first
  bool is_tiled_ = false;
  /// Tiles: along `first_` the results are adjacent, along `second_` the operand's elements. Otherwise `first_` is the
  /// slowest dimension of the table.
  Split first_, second_;
  int64_t from_stride_ = 0, to_stride_ = 0;     ///< of tiles: of the operand along first_, of the result along second_
  int64_t inner_ = 1;                           ///< of the table: entries for each step of first_
  std::vector<int32_t> from_table_, to_table_;  ///< in bytes
};

}  // namespace hilo::cpu
