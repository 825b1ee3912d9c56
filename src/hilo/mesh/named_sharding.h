// SPDX-License-Identifier: Apache-2.0
// mesh/named_sharding.h -- NamedSharding: how an array is distributed over the devices of a mesh.
#pragma once

#include "hilo/array/error.h"
#include "hilo/mesh/mesh.h"
#include "hilo/mesh/partition_spec.h"

namespace hilo {

/// A spec names an axis of its mesh twice. jax's DuplicateSpecError.
class DuplicateSpecError : public Error {
 public:
  using Error::Error;
};

/// The number of devices doesn't divide a dimension. jax's IndivisibleError.
class IndivisibleError : public Error {
 public:
  using Error::Error;
};

/// The distribution of an array over the devices of a mesh: jax.sharding.NamedSharding. A value: copies share its
/// state.
/// Example    NamedSharding(make_mesh({1}, {"x"}), P("x"))
class NamedSharding {
 public:
  /// Creates a sharding.
  /// Errors     throws DuplicateSpecError for a duplicate axis; INVALID_ARGUMENT for an axis that the mesh lacks
  NamedSharding(const Mesh& mesh, const PartitionSpec& spec,
                std::source_location location = std::source_location::current());

  const Mesh& mesh() const;
  const PartitionSpec& spec() const;
  /// Returns the number of parts of a dimension.
  int64_t parts(size_t dimension) const;
  /// Returns the index of the part of a dimension that the device at a place of the mesh holds.
  int64_t part(size_t dimension, int64_t place) const;
  /// Returns the shape of each device's shard.
  /// Errors     throws INVALID_ARGUMENT for a spec longer than the rank; IndivisibleError
  std::vector<int64_t> shard_shape(std::span<const int64_t> shape,
                                   std::source_location location = std::source_location::current()) const;
  /// Returns whether every device holds the whole array.
  bool is_fully_replicated() const;
  /// Returns whether this process can access all devices.
  bool is_fully_addressable() const;
  /// Returns whether both shardings put the same parts on the same devices, for arrays of this rank.
  bool is_equivalent_to(const NamedSharding& other, int64_t ndim) const;

  bool operator==(const NamedSharding& other) const;
  /// Returns "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x',))"; for one device without axes
  /// "SingleDeviceSharding(device=Host:0)".
  std::string to_string() const;
  /// Returns a key that is equal only for equal shardings.
  const std::string& key() const;

  /// Converts to and from the state that instructions store.
  std::shared_ptr<const void> state() const;
  static NamedSharding from_state(const std::shared_ptr<const void>& state);

 private:
  struct State;
  explicit NamedSharding(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// Returns the sharding of a whole array on one device: jax.sharding.SingleDeviceSharding.
NamedSharding SingleDeviceSharding(const DevicePtr& device);

std::ostream& operator<<(std::ostream& out, const NamedSharding& sharding);

/// The names of `from jax import sharding`.
namespace sharding {
using hilo::Mesh;
using hilo::NamedSharding;
using hilo::PartitionSpec;
using hilo::SingleDeviceSharding;
}  // namespace sharding

}  // namespace hilo
