// SPDX-License-Identifier: Apache-2.0
// numpy/indexing.h -- reading and writing at positions that are themselves arrays: take, take_along_axis, x.at[...].
#pragma once

#include <optional>

#include "hilo/trace/array.h"
#include "hilo/types/index_mode.h"

namespace hilo::numpy {

/// x[indices] along `axis`, or of the flattened array if there is none.
/// mode       kFillOrDrop by default: an index outside gives `fill_value`, by default NaN, the least of a signed type,
///            the greatest of an unsigned one, true. Negative indices count from the end, save under kClip.
/// Errors     INVALID_ARGUMENT if the indices aren't integers, or an axis of extent 0 is read
/// Example    take(array({5, 6, 7}), Array(-1), 0).item<float>() == 7
Array take(const Operand& x, const Operand& indices, std::optional<int64_t> axis = std::nullopt,
           IndexMode mode = IndexMode::kUnspecified, const std::optional<Array>& fill_value = std::nullopt);

/// For every line of x along `axis` its own indices: jnp.take_along_axis. Other axes broadcast.
/// Types      indices: integers of x's rank. mode and fill_value as for take
Array take_along_axis(const Operand& x, const Operand& indices, int64_t axis = -1,
                      IndexMode mode = IndexMode::kUnspecified, const std::optional<Array>& fill_value = std::nullopt);

/// What may be said beside the indices of x.at[...].
struct IndexOptions {
  IndexMode mode = IndexMode::kUnspecified;
  bool indices_are_sorted = false;                 ///< the caller's promise
  bool unique_indices = false;                     ///< the caller's promise; derivatives of multiply need it
  std::optional<Array> fill_value = std::nullopt;  ///< of get, as for take
};

/// x.at[i, j, ...]: the places of x whose leading axes have these indices.
class IndexedPlaces {
 public:
  IndexedPlaces(const Operand& x, std::vector<Array> indices);

  /// What stands there. Unspecified: a single element clips, arrays of indices fill, as in JAX.
  Array get(const IndexOptions& options = {}) const;
  /// x with y there; y broadcasts. Of equal indices one wins. What is outside is dropped by default.
  Array set(const Operand& y, const IndexOptions& options = {}) const;
  /// x with y added there, once an index; and so on.
  Array add(const Operand& y, const IndexOptions& options = {}) const;
  Array multiply(const Operand& y, const IndexOptions& options = {}) const;
  Array min(const Operand& y, const IndexOptions& options = {}) const;
  Array max(const Operand& y, const IndexOptions& options = {}) const;

 private:
  Array x_;
  std::vector<Array> indices_;
  std::source_location location_;  ///< of the call of at
};

/// x.at[indices...] of jax.numpy, for integer indices of the leading axes, which broadcast together. Negative ones
/// count from the end. Other axes are taken whole.
/// Types      integers, or a mask of the shape of the axes that it takes, which stands for where it is true. Its value must
///            be known (not under jit or vmap): the result's shape depends on it. Elsewhere there is where.
/// Errors     INVALID_ARGUMENT if there are more indices than axes, an index isn't integer, or a mask has another shape;
///            as to_literal for a mask without a value
/// Example    at(zeros({3}), Array(1)).add(5).to_vector<float>() is {0, 5, 0}
template <std::convertible_to<Array>... Indices>
IndexedPlaces at(const Operand& x, const Indices&... indices) {
  return IndexedPlaces(x, std::vector<Array>{Array(indices)...});
}

}  // namespace hilo::numpy
