// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/direct_calls.h -- the operations of a sparse direct solver on arrays with any number of batch axes. Not
// for users.
#pragma once

#include <memory>

#include "hilo/array/array.h"

namespace hilo::scipy::sparse::linalg::detail {

/// The plan of a pattern, as operations need it.
struct DirectPlan {
  Array list;  ///< s32, as of base/sparse/read_plan.h
  int64_t size, entries, factor_size;
  int64_t id;  ///< equal for equal lists
};
using DirectPlanPtr = std::shared_ptr<const DirectPlan>;

struct FactorArrays {
  Array factor, pivots, info;
};

/// Factors matrices of elements [..., entries]. Under vmap, all examples are one call.
FactorArrays sparse_factor(const DirectPlanPtr& plan, const Array& data);

/// Solves for b [..., size, k]. Under vmap, right sides of one matrix become columns.
Array sparse_solve(const DirectPlanPtr& plan, const Array& data, const FactorArrays& factors, const Array& b,
                   bool transposed);

}  // namespace hilo::scipy::sparse::linalg::detail
