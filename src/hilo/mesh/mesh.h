// SPDX-License-Identifier: Apache-2.0
// mesh/mesh.h -- Mesh: a grid of devices with named axes.
#pragma once

#include <memory>
#include <ostream>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hilo/device/device.h"

namespace hilo {

/// A grid of devices, row-major, with a name for each axis: jax.sharding.Mesh. A value: copies share the list.
/// Example    Mesh(devices(), {2, 4}, {"x", "y"})
class Mesh {
 public:
  /// Creates a mesh of one axis.
  /// Errors     as below
  Mesh(std::vector<DevicePtr> devices, std::vector<std::string> axis_names,
       std::source_location location = std::source_location::current());
  /// Creates a mesh of these axes.
  /// Errors     throws INVALID_ARGUMENT if the sizes don't match the number of devices or names, a name or device is
  ///            duplicate, or devices belong to several clients
  Mesh(std::vector<DevicePtr> devices, std::vector<int64_t> axis_sizes, std::vector<std::string> axis_names,
       std::source_location location = std::source_location::current());

  const std::vector<DevicePtr>& devices() const;
  const std::vector<std::string>& axis_names() const;
  const std::vector<int64_t>& axis_sizes() const;
  /// Returns the axes with their sizes.
  std::vector<std::pair<std::string, int64_t>> shape() const;
  /// Returns the number of devices.
  int64_t size() const;
  bool has_axis(const std::string& name) const;
  /// Returns the size of an axis.
  /// Errors     throws INVALID_ARGUMENT for an axis that the mesh lacks
  int64_t axis_size(const std::string& name) const;
  /// Returns the coordinate along an axis of the device at a row-major place.
  /// Precondition: the mesh has the axis
  int64_t coordinate(const std::string& name, int64_t place) const;
  /// Returns whether this process can access all devices.
  bool is_local() const;
  /// Returns the row-major places of the devices that this process can access, in ascending order.
  std::span<const int64_t> local_places() const;

  bool operator==(const Mesh& other) const;
  /// Returns "Mesh('x': 2, 'y': 4)".
  std::string to_string() const;
  /// Returns a key that is equal only for meshes with equal devices and axes.
  const std::string& key() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// Creates a mesh of the first devices(), or of the first of those passed: jax.make_mesh.
/// Errors     throws INVALID_ARGUMENT if there are too few, and as Mesh
/// Example    make_mesh({1}, {"x"})  // Mesh('x': 1)
Mesh make_mesh(const std::vector<int64_t>& axis_sizes, const std::vector<std::string>& axis_names,
               std::vector<DevicePtr> devices = {}, std::source_location location = std::source_location::current());

std::ostream& operator<<(std::ostream& out, const Mesh& mesh);

}  // namespace hilo
