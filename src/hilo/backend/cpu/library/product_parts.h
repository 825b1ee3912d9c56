// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/product_parts.h -- dots as batches of matrix products: how their operands lie, and how the work is shared.
#pragma once

#include <optional>
#include <vector>

#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/hlo/ops/dot.h"

namespace hilo::cpu {

/// Dimensions of an operand that act as one: their extent, and their stride if they lie in step in memory.
struct DimensionGroup {
  hlo::Int64List dimensions;
  int64_t extent = 1;
  std::optional<int64_t> stride;
};

/// An operand as batch, outer (rows of the left, columns of the right) and contracted dimensions.
struct ProductOperand {
  Shape shape;
  DimensionGroup batch, outer, contracted;
  std::vector<int64_t> batch_strides;  ///< of the batch's dimensions

  ProductOperand(const Shape& shape, const hlo::Int64List& batch_dimensions, const hlo::Int64List& contracting);
  /// Can an item be read as it lies? Have its rows and columns a stride?
  bool is_in_step() const { return outer.stride && contracted.stride; }
  /// Where an item of the batch begins, in elements.
  int64_t offset_of(int64_t item) const;
  /// The strides of a copy in [batch, outer, contracted] order.
  void use_packed_strides();
};

constexpr int64_t kPackedAtOnce = 1 << 20;  // elements between looks at the stop word

/// Copies an operand, converting its elements; brings it into [batch, outer, contracted] order if asked to.
template <typename From, typename To>
void copy_operand(const ProductOperand& o, const From* from, To* to, bool reorder) {
  const int64_t count = o.shape.element_count();
  if (!reorder) {
    in_stretches(count, kPackedAtOnce, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
    });
    return;
  }
  const std::vector<int64_t> strides = strides_of(o.shape);
  hlo::Int64List order = o.batch.dimensions;
  order.insert(order.end(), o.outer.dimensions.begin(), o.outer.dimensions.end());
  order.insert(order.end(), o.contracted.dimensions.begin(), o.contracted.dimensions.end());
  std::vector<int64_t> index(order.size());
  int64_t at = 0;
  const StopFlag stop;
  for (int64_t i = 0; i < count; ++i) {
    if (i % kPackedAtOnce == 0 && stop.raised()) return;
    to[i] = static_cast<To>(from[at]);
    for (size_t d = order.size(); d-- > 0;) {
      const int64_t stride = strides[static_cast<size_t>(order[d])];
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

/// A part of one item's result: some of its rows or some of its columns.
struct ProductPart {
  int64_t item, row_begin, row_end, column_begin, column_end;
};

/// Parts of one item: stretches of the longer side. Fixed by the sizes, so that results don't depend on the number of threads.
int64_t parts_of_product(const ProductSizes& sizes, double least_work);

/// Calls run(part) for all parts, on several threads if there is `least_work`: multiplications that are worth it.
template <typename Run>
void for_product_parts(const ProductSizes& sizes, double least_work, const Run& run) {
  const int64_t parts = parts_of_product(sizes, least_work);
  const bool by_rows = sizes.m >= sizes.n;
  const int64_t longer = by_rows ? sizes.m : sizes.n;
  const auto task = [&](int64_t t) {
    const int64_t item = t / parts, part = t % parts;
    const int64_t begin = longer * part / parts / 16 * 16,
                  end = part + 1 == parts ? longer : longer * (part + 1) / parts / 16 * 16;
    if (by_rows) run(ProductPart{item, begin, end, 0, sizes.n});
    else run(ProductPart{item, 0, sizes.m, begin, end});
  };
  if (sizes.work() > least_work && sizes.batch * parts > 1) run_tasks(default_pool(), sizes.batch * parts, task);
  else in_stretches(sizes.batch * parts, 1, [&](int64_t t, int64_t) { task(t); });
}

}  // namespace hilo::cpu
