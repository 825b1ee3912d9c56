// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/product_parts.h -- splits the work of batches of matrix products.
#pragma once

#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/products/product_layout.h"

namespace hilo::cpu {

constexpr int64_t kConvertedAtOnce = 1 << 20;  // elements between checks of the stop word

template <typename From, typename To>
void convert_elements(const From* from, To* to, int64_t count) {
  in_stretches(count, kConvertedAtOnce, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

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
