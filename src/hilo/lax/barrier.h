// SPDX-License-Identifier: Apache-2.0
// lax/barrier.h -- limits for compilers and derivatives: optimization_barrier, stop_gradient, dce_sink; also composite
// and with_sharding_constraint.
#pragma once

#include <string>

#include "hilo/mesh/sharded_array.h"
#include "hilo/transform/grad.h"
#include "hilo/tree/functions.h"
#include "hilo/tree/tree.h"

namespace hilo::lax {

using hilo::stop_gradient, hilo::with_sharding_constraint;

namespace detail {
std::vector<Array> optimization_barrier(std::span<const Array> leaves, const std::source_location& location);
}  // namespace detail

/// Returns the tree unchanged, and keeps the compiler from moving operations across: all of it is computed before any
/// of it is used. jax.lax.optimization_barrier.
/// Gradient   a barrier for the tangents and the cotangents
template <Tree T>
T optimization_barrier(const T& operand, std::source_location location = std::source_location::current()) {
  return hilo::unflatten(operand, detail::optimization_barrier(hilo::flatten(operand).leaves, location));
}

std::vector<Array> optimization_barrier(const std::vector<Array>& operands,
                                        std::source_location location = std::source_location::current());
/// Applies stop_gradient to each array.
std::vector<Array> stop_gradient(const std::vector<Array>& x);

/// Options of dce_sink.
struct DceSinkOptions {
  bool prevent_mlir_dce = false;
};
template <Tree T>
void dce_sink(const T& val, const DceSinkOptions& options = {}) {
  (void)val, (void)options;
}
inline void dce_sink(const std::vector<Array>& val, const DceSinkOptions& options = {}) { (void)val, (void)options; }

/// Names a decomposition, so that a compiler may replace it by a faster implementation of that name. hilo has none and
/// runs the decomposition.
template <typename F>
F composite(F decomposition, const std::string& name, int64_t version = 0) {
  (void)name, (void)version;
  return decomposition;
}

}  // namespace hilo::lax
