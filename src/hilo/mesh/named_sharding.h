// SPDX-License-Identifier: Apache-2.0
// mesh/named_sharding.h -- NamedSharding: which part of an array each device of a mesh has.
#pragma once

#include "hilo/array/error.h"
#include "hilo/mesh/mesh.h"
#include "hilo/mesh/partition_spec.h"

namespace hilo {

/// A spec that names an axis of its mesh twice. jax's DuplicateSpecError.
class DuplicateSpecError : public Error {
 public:
  using Error::Error;
};

/// Devices that don't divide a dimension. jax's IndivisibleError.
class IndivisibleError : public Error {
 public:
  using Error::Error;
};

/// How the devices of a mesh share an array. jax.sharding.NamedSharding. A value: copies share what it says.
/// Example    NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("x"))
class NamedSharding {
 public:
  /// Errors    throws DuplicateSpecError for an axis that stands twice; INVALID_ARGUMENT for one that the mesh lacks
  NamedSharding(const Mesh& mesh, const PartitionSpec& spec,
                std::source_location location = std::source_location::current());

  const Mesh& mesh() const;
  const PartitionSpec& spec() const;
  /// Parts of a dimension.
  int64_t parts(size_t dimension) const;
  /// Which of a dimension's parts the device at a place of the mesh has.
  int64_t part(size_t dimension, int64_t place) const;
  /// The sizes of each device's part.
  /// Errors    throws INVALID_ARGUMENT for a spec longer than the rank; IndivisibleError
  std::vector<int64_t> shard_shape(std::span<const int64_t> shape,
                                   std::source_location location = std::source_location::current()) const;
  /// Every device has all of it.
  bool is_fully_replicated() const;
  /// This process reaches all devices.
  bool is_fully_addressable() const;
  /// The same parts on the same devices, for arrays of that rank.
  bool is_equivalent_to(const NamedSharding& other, int64_t ndim) const;

  bool operator==(const NamedSharding& other) const;
  /// "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x',))"; for one device without axes
  /// "SingleDeviceSharding(device=Host:0)"
  std::string to_string() const;
  /// Equal for equal shardings and no others.
  const std::string& key() const;

  /// What instructions keep of one, and back.
  std::shared_ptr<const void> state() const;
  static NamedSharding from_state(const std::shared_ptr<const void>& state);

 private:
  struct State;
  explicit NamedSharding(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// All of an array on one device. jax.sharding.SingleDeviceSharding.
NamedSharding SingleDeviceSharding(const DevicePtr& device);

std::ostream& operator<<(std::ostream& out, const NamedSharding& sharding);

/// As `from jax import sharding` has them.
namespace sharding {
using hilo::Mesh;
using hilo::NamedSharding;
using hilo::PartitionSpec;
using hilo::SingleDeviceSharding;
}  // namespace sharding

}  // namespace hilo
