// SPDX-License-Identifier: Apache-2.0
// lax/combine.h -- reducers as functions of whole arrays, for the rules of reductions. Not for users.
#pragma once

#include "hilo/trace/trace.h"

namespace hilo::lax {

/// Applies body(a, b) to all elements of two lists of arrays of one shape.
std::vector<Array> combine(const hlo::ComputationPtr& body, std::span<const Array> a, std::span<const Array> b);

/// An associative function of two lists of arrays.
using Combine = std::function<std::vector<Array>(std::span<const Array>, std::span<const Array>)>;

/// Computes running combinations along `axis` with logarithmic depth and linear work, as jax.lax.associative_scan.
std::vector<Array> associative_scan(const Combine& f, std::span<const Array> arrays, int64_t axis, bool reverse);

}  // namespace hilo::lax
