// SPDX-License-Identifier: Apache-2.0
// engine/access_map.h -- the element of a value that a region reads at each point of its domain.
#pragma once

#include <optional>

#include "hilo/engine/regions.h"

namespace hilo::engine {

/// One index expression per dimension of the value, or one for its row-major linear index.
struct AccessMap {
  bool linear = false;
  std::vector<IndexExpr> index;
  std::vector<Guard> guards;
  bool operator==(const AccessMap&) const = default;
};

/// Maps the point (i_0, i_1, ...) to the element with the same index. The value has the dimensions of the domain.
AccessMap identity_map(size_t rank);

/// Returns the linear index of the map's element in an array of this shape.
IndexExpr linear_index(const AccessMap& map, const Shape& shape);

/// Splits a linear index into one expression per dimension of `shape`. Returns nullopt if it doesn't split over these
/// extents.
std::optional<AccessMap> split_dimensions(const AccessMap& map, const Shape& shape, std::span<const int64_t> extents);

/// Returns the map of a value of shape `to` whose elements in row-major order are those of the value of shape `from`.
AccessMap reshaped_map(const AccessMap& map, const Shape& from, const Shape& to, std::span<const int64_t> extents);

/// Returns k if the expression is the loop index i_k, -1 if it is the constant 0, and nullopt otherwise.
std::optional<int64_t> as_dimension(const IndexExpr& e);

/// Returns n if the expressions are the domain's first dimensions, up to dimension n - 1, in order and each once.
/// Dimensions of extent one may be missing. Returns nullopt otherwise.
std::optional<size_t> leading_dimensions(std::span<const int64_t> extents, const AccessMap& map);

/// Returns the first dimension from `k` on whose extent isn't one.
size_t skip_ones(std::span<const int64_t> extents, size_t k);

}  // namespace hilo::engine
