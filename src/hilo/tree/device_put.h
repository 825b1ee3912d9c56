// SPDX-License-Identifier: Apache-2.0
// tree/device_put.h -- device_put and block_until_ready for whole trees.
#pragma once

#include "hilo/mesh/sharded_array.h"
#include "hilo/tree/tree.h"

namespace hilo {

/// Copies all arrays of a tree to a device and commits them there.
/// Errors     as device_put of an array
template <typename T>
  requires(!std::is_convertible_v<const T&, Array>)
T device_put(const T& tree, const DevicePtr& device, std::source_location location = std::source_location::current()) {
  FlatTree flat = hilo::flatten(tree);
  for (Array& leaf : flat.leaves) leaf = device_put(leaf, device, location);
  return hilo::unflatten(tree, flat.leaves);
}

/// Shards all arrays of a tree in the same way.
/// Errors     as device_put of an array
template <typename T>
  requires(!std::is_convertible_v<const T&, Array>)
T device_put(const T& tree, const NamedSharding& sharding,
             std::source_location location = std::source_location::current()) {
  FlatTree flat = hilo::flatten(tree);
  for (Array& leaf : flat.leaves) leaf = device_put(leaf, sharding, location);
  return hilo::unflatten(tree, flat.leaves);
}

/// Copies all arrays of a tree to the first device, without committing them.
template <typename T>
  requires(!std::is_convertible_v<const T&, Array>)
T device_put(const T& tree, std::source_location location = std::source_location::current()) {
  FlatTree flat = hilo::flatten(tree);
  for (Array& leaf : flat.leaves) leaf = device_put(leaf, location);
  return hilo::unflatten(tree, flat.leaves);
}

/// Doesn't compile: a device is a value.
template <typename T>
T device_put(const T& tree, const char*) {
  static_assert(kNever<T>, "a device is a value: device_put(x, devices()[0])");
  return tree;
}

/// Waits until the values of all arrays of the tree are computed.
/// Errors     as block_until_ready of an array
template <typename T>
  requires(!std::is_convertible_v<const T&, Array>)
const T& block_until_ready(const T& tree, std::source_location location = std::source_location::current()) {
  for (const Array& leaf : hilo::flatten(tree).leaves) block_until_ready(leaf, location);
  return tree;
}

}  // namespace hilo
