// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/random.h -- sparse arrays of random numbers at random indices.
#pragma once

#include <functional>

#include "hilo/random/keys.h"
#include "hilo/scipy/sparse/bcoo.h"

namespace hilo::scipy::sparse {

/// A function that samples the elements; default random::uniform.
using ElementGenerator =
    std::function<Array(const hilo::random::Key& key, const numpy::Shape& shape, numpy::Dtype dtype)>;

struct RandomBcooOptions {
  numpy::Dtype dtype = std::nullopt;          ///< default f32, with x64 f64
  numpy::Dtype indices_dtype = std::nullopt;  ///< default s32, with x64 s64
  double nse = 0.2;  ///< number of stored elements of each batch; between 0 and 1, the fraction of all elements
  int64_t n_batch = 0, n_dense = 0;
  bool unique_indices = true;   ///< whether no index is stored twice
  bool sorted_indices = false;  ///< whether indices are sorted
  ElementGenerator generator = {};
};

/// Samples a sparse array with random elements at random indices. The numbers are those of
/// jax.experimental.sparse.random_bcoo.
/// Errors     INVALID_ARGUMENT for too many batch and dense axes, nse not below the number of elements, or more
///            elements than indices_dtype can represent
/// Cost       a permutation of all indices, except with unique_indices = false
/// Example    random_bcoo(random::key(0), {1000, 1000}, {.nse = 0.01}).nse()  // 10000
BCOO random_bcoo(const hilo::random::Key& key, const numpy::Shape& shape, const RandomBcooOptions& options = {},
                 numpy::Line line = numpy::Line::current());

}  // namespace hilo::scipy::sparse
