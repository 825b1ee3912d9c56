// SPDX-License-Identifier: Apache-2.0
// engine/costs.h -- the time that a machine takes for parts of a program, in nanoseconds of one thread. A Target
// supplies these figures. Plans, library functions and explanations use no others.
#pragma once

#include "hilo/hlo/ir/op_def.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::engine {

/// Costs of library functions per unit of work. A term is one product and its addition.
struct LibraryCosts {
  /// of matrix products: floats; types that need wider or special instructions; integers
  double term, narrow_term, integer_term;
  double convolution_term, integer_convolution_term, factor_term;  ///< of convolutions and of linear algebra
  /// of Fourier transforms: transforming, preparing, a block of short ones
  double transform_term, transform_element, short_transforms;
  // Per element: of cumulative reductions, top-k, sorts, scatters, select-and-scatters, reductions and windows, and
  // convolutions that convert types.
  double scanned, ranked, sorted, scattered, selected, combined, converted;
  double concatenated_byte;  ///< the part that threads can save: memory bandwidth is the limit
};

/// Costs of elementwise ops, per element of a full vector.
struct OpCosts {
  double cheap;
  double expensive, transcendental;  ///< in addition to a cheap op
};

/// Cost of one product and its addition in a region's loop, including its loads.
struct ProductCosts {
  double blocked, plain;  ///< floats: if several rows share the loads; if each row loads for itself
  double bf16, narrow;    ///< types that are computed in f32
  double integer;
  /// Floats whose vectors run along the sum, because columns aren't adjacent: one term of a sum shorter than a vector,
  /// or a whole longer sum, in addition to `plain` terms.
  double short_sum_term, long_sum;
};

struct Costs {
  double fork;      ///< minimum work for which a fork pays off
  double dispatch;  ///< one step of a plan
  double call;      ///< a call of a kernel through its address
  double inlined;   ///< beginning a kernel that is part of a loop's function
  // Per element of a region.
  double load, store;
  OpCosts ops, wide_ops;  ///< for elements of up to four bytes, and for wider ones
  OpCosts straight;       ///< of straight-line code, per scalar or vector
  double product_node;    ///< one node in the row of a matrix product, shared by several sums
  // Writing a value and reading it again, per element: of arrays that fit in a cache, and of larger ones.
  double cached, uncached;
  int64_t core_cache_bytes, cache_bytes;  ///< cache of one core; largest cache
  ProductCosts products;
  double product_call;  ///< a library call for a product, in addition to its terms
  double product_item;  ///< each further small product of the same call
  LibraryCosts library;
  /// Matrices whose factorizations are written out as elementwise ops, which regions and loops fuse. Larger ones take
  /// long to compile, or the library is faster.
  hlo::SmallMatrices small_matrices;

  const OpCosts& ops_of(ElementType type) const { return element_size_bytes(type) > 4 ? wide_ops : ops; }
};

/// Returns the cost of an elementwise op of this class on one element.
inline double op_cost(const Costs& costs, hlo::CostClass cost, ElementType type) {
  const OpCosts& ops = costs.ops_of(type);
  if (cost == hlo::CostClass::kTranscendental) return ops.cheap + ops.transcendental;
  return cost == hlo::CostClass::kExpensive ? ops.cheap + ops.expensive : ops.cheap;
}

}  // namespace hilo::engine
