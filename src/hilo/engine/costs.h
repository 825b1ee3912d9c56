// SPDX-License-Identifier: Apache-2.0
// engine/costs.h -- what a machine takes for the parts of a program, in nanoseconds of one thread. A Target answers
// with these figures, and plans, library functions and explanations compute with no others.
#pragma once

#include "hilo/hlo/ir/op_def.h"

namespace hilo::engine {

/// Functions of a library: a unit of their work. A term is a product and its addition.
struct LibraryCosts {
  double term, narrow_term, integer_term;  ///< of matrix products: floats; by instructions for narrow types; integers
  double convolution_term, integer_convolution_term, factor_term;  ///< in convolutions, and in linear algebra
  double transform_term, transform_element, short_transforms;  ///< Fourier: to transform, to prepare, a block of short
  // An element: of cumulative reductions, top-k, sorts, scatters, select-and-scatters, reductions and windows, and
  // convolutions whose types are converted.
  double scanned, ranked, sorted, scattered, selected, combined, converted;
  double concatenated_byte;  ///< what threads save of it: memory is their limit
};

/// Elementwise ops, an element of what fills a core's vectors.
struct OpCosts {
  double cheap;
  double expensive, transcendental;  ///< beyond a cheap one
};

/// A product and its addition in a region's loop, with its loads.
struct ProductCosts {
  double blocked, plain;  ///< floats: several rows share what is loaded; each row by itself
  double bf16, narrow;    ///< types that are computed in f32
  double integer;
};

struct Costs {
  double fork;      ///< work from which sharing it among threads pays off
  double dispatch;  ///< a step of a plan
  double call;      ///< a kernel, by its address
  // Elements of a region.
  double load, store;
  OpCosts ops, wide_ops;  ///< of elements of up to four bytes, and of wider ones
  double product_node;    ///< a node in the row of a matrix product: several sums share it
  // A value that is written and read again, an element: of arrays that a cache holds, and of larger ones.
  double cached, uncached;
  int64_t core_cache_bytes, cache_bytes;  ///< of a core, beside all else; of any cache
  ProductCosts products;
  double product_call;  ///< a library's product, beside its terms
  LibraryCosts library;

  const OpCosts& ops_of(ElementType type) const { return element_size_bytes(type) > 4 ? wide_ops : ops; }
};

/// An elementwise op of this class on one element.
inline double op_cost(const Costs& costs, hlo::CostClass cost, ElementType type) {
  const OpCosts& ops = costs.ops_of(type);
  if (cost == hlo::CostClass::kTranscendental) return ops.cheap + ops.transcendental;
  return cost == hlo::CostClass::kExpensive ? ops.cheap + ops.expensive : ops.cheap;
}

}  // namespace hilo::engine
