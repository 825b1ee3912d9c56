// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/product_parts.h -- dots as batches of matrix products: the layout of their operands, and
// the split of the work.
#pragma once

#include <optional>
#include <vector>

#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/engine/target.h"
#include "hilo/hlo/ops/dot.h"

namespace hilo::cpu {

/// Dimensions of an operand that act as one: their extent, and their stride if they have a common one.
struct DimensionGroup {
  hlo::Int64List dimensions;
  int64_t extent = 1;
  std::optional<int64_t> stride;
};

/// An operand as batch, outer (rows of the left, columns of the right) and contracted dimensions.
struct ProductOperand {
  Shape shape;
  DimensionGroup batch, outer, contracted;
  int64_t offset = 0;                  ///< of the first element
  std::vector<int64_t> strides;        ///< of all dimensions, in memory
  std::vector<int64_t> batch_strides;  ///< of the batch's dimensions

  ProductOperand(const Shape& shape, const hlo::Int64List& batch_dimensions, const hlo::Int64List& contracting,
                 const engine::OperandView& view = {});
  /// Whether an item can be read in place: its rows and columns have a stride.
  bool is_in_step() const { return outer.stride && contracted.stride; }
  /// Returns the start of an item of the batch, in elements.
  int64_t offset_of(int64_t item) const;
  /// Sets the strides to those of a copy in [batch, outer, contracted] order.
  void use_packed_strides();
};

constexpr int64_t kPackedAtOnce = 1 << 20;  // elements between checks of the stop word

/// Copies an operand and converts its elements. Copies to [batch, outer, contracted] order if requested; operands that
/// aren't dense need it.
template <typename From, typename To>
void copy_operand(const ProductOperand& o, const From* from, To* to, bool reorder) {
  const int64_t count = o.shape.element_count();
  if (!reorder) {
    in_stretches(count, kPackedAtOnce, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
    });
    return;
  }
  hlo::Int64List order = o.batch.dimensions;
  order.insert(order.end(), o.outer.dimensions.begin(), o.outer.dimensions.end());
  order.insert(order.end(), o.contracted.dimensions.begin(), o.contracted.dimensions.end());
  std::vector<int64_t> index(order.size());
  int64_t at = o.offset;
  const StopFlag stop;
  for (int64_t i = 0; i < count; ++i) {
    if (i % kPackedAtOnce == 0 && stop.raised()) return;
    to[i] = static_cast<To>(from[at]);
    for (size_t d = order.size(); d-- > 0;) {
      const int64_t stride = o.strides[order[d]];
      at += stride;
      if (++index[d] < o.shape.dimension(order[d])) break;
      at -= stride * index[d];
      index[d] = 0;
    }
  }
}

struct ProductSizes {
  int64_t batch, m, n, k;
  double work() const {
    return static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// How an item's result is split: the side, and the length of which parts are multiples.
struct ProductCut {
  bool by_rows;
  int64_t unit;
};

/// Returns the longer side: a library packs both operands for each part.
inline ProductCut longer_side(const ProductSizes& sizes) { return {sizes.m >= sizes.n, 16}; }
/// Returns the columns if there are enough of them: hilo's own kernels for floats pack only the right operand, so each
/// part packs another piece of it.
inline ProductCut right_side(const ProductSizes& sizes) {
  constexpr int64_t kStrip = 64, kManyTimes = 4;
  return {sizes.m >= kManyTimes * sizes.n, kStrip};
}

/// A part of one item's result: some of its rows or some of its columns.
struct ProductPart {
  int64_t item, row_begin, row_end, column_begin, column_end;
};

/// Returns the number of parts of one item: ranges of the longer side. It depends on the sizes alone, so results don't
/// depend on the number of threads.
int64_t parts_of_product(const ProductSizes& sizes, const ProductCut& cut, double term);

/// Calls run(part) for all parts. Uses several threads if the work, counted in `term`, pays off.
template <typename Run>
void for_product_parts(const ProductSizes& sizes, const ProductCut& cut, double term, const Run& run) {
  const int64_t parts = parts_of_product(sizes, cut, term), length = cut.by_rows ? sizes.m : sizes.n;
  const auto task = [&](int64_t t) {
    const int64_t item = t / parts, part = t % parts;
    const auto place = [&](int64_t p) { return p == parts ? length : length * p / parts / cut.unit * cut.unit; };
    const int64_t begin = place(part), end = place(part + 1);
    if (cut.by_rows) run(ProductPart{item, begin, end, 0, sizes.n});
    else run(ProductPart{item, 0, sizes.m, begin, end});
  };
  if (sizes.batch * parts > 1 && worth_forking(work_ns(term, sizes.work())))
    run_tasks(default_pool(), sizes.batch * parts, task);
  else in_stretches(sizes.batch * parts, 1, [&](int64_t t, int64_t) { task(t); });
}

}  // namespace hilo::cpu
