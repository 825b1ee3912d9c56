// SPDX-License-Identifier: Apache-2.0
// engine/access_map.h -- which element of a value a region reads at each point of its domain.
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

/// Element (i_0, i_1, ...): the value has the domain's dimensions.
AccessMap identity_map(size_t rank);

/// The linear index into an array of this shape.
IndexExpr linear_index(const AccessMap& map, const Shape& shape);

/// The map with one expression per dimension of `shape`, if the linear one splits into them over these extents.
std::optional<AccessMap> split_dimensions(const AccessMap& map, const Shape& shape, std::span<const int64_t> extents);

/// The map of a value whose elements in row-major order are those of the value of shape `from`.
AccessMap reshaped_map(const AccessMap& map, const Shape& from, const Shape& to, std::span<const int64_t> extents);

/// The domain dimension that this is, if it is just that one; -1 for the constant 0; nullopt for all else.
std::optional<int64_t> as_dimension(const IndexExpr& e);

/// One past the last dimension of the domain that the map walks, if its expressions are the first dimensions in order,
/// each once; those of extent one may be left out.
std::optional<size_t> leading_dimensions(std::span<const int64_t> extents, const AccessMap& map);

/// The first dimension from `k` on whose extent isn't one.
size_t skip_ones(std::span<const int64_t> extents, size_t k);

}  // namespace hilo::engine
