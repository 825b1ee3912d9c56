// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/random.h -- sparse arrays of random numbers at random places.
#pragma once

#include <functional>

#include "hilo/random/keys.h"
#include "hilo/scipy/sparse/bcoo.h"

namespace hilo::scipy::sparse {

/// What draws the elements, as random::uniform does, which is the default.
using ElementGenerator =
    std::function<Array(const hilo::random::Key& key, const numpy::Shape& shape, numpy::Dtype dtype)>;

struct RandomBcooOptions {
  numpy::Dtype dtype = std::nullopt;          ///< by default f32, with x64 f64
  numpy::Dtype indices_dtype = std::nullopt;  ///< by default s32, with x64 s64
  double nse = 0.2;  ///< how many elements each batch stores; between 0 and 1 which share of its places
  int64_t n_batch = 0, n_dense = 0;
  bool unique_indices = true;   ///< no place is stored twice
  bool sorted_indices = false;  ///< row by row
  ElementGenerator generator = {};
};

/// Random elements at random places, the same numbers as jax.experimental.sparse.random_bcoo.
/// Errors     INVALID_ARGUMENT for more axes than there are, as many elements as places or more, or places that indices_dtype
///            can't count
/// Cost       without unique_indices = false a permutation of all places
/// Example    sparse::random_bcoo(key, {1000, 1000}, {.nse = 0.01})
BCOO random_bcoo(const hilo::random::Key& key, const numpy::Shape& shape, const RandomBcooOptions& options = {},
                 numpy::Line line = numpy::Line::current());

}  // namespace hilo::scipy::sparse
