// SPDX-License-Identifier: Apache-2.0
// mesh/mesh.h -- Mesh: devices in a box whose axes have names.
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

/// Devices in a box, row-major, and a name for each of its axes. jax.sharding.Mesh. A value: copies share the list.
/// Example    Mesh(devices(), {2, 4}, {"x", "y"})
class Mesh {
 public:
  /// The devices in a row.
  /// Errors    as below
  Mesh(std::vector<DevicePtr> devices, std::vector<std::string> axis_names,
       std::source_location location = std::source_location::current());
  /// Errors    throws INVALID_ARGUMENT where sizes and devices or names differ in number, a name or a device stands twice,
  ///           or devices are of several clients
  Mesh(std::vector<DevicePtr> devices, std::vector<int64_t> axis_sizes, std::vector<std::string> axis_names,
       std::source_location location = std::source_location::current());

  const std::vector<DevicePtr>& devices() const;
  const std::vector<std::string>& axis_names() const;
  const std::vector<int64_t>& axis_sizes() const;
  /// Axes with their sizes.
  std::vector<std::pair<std::string, int64_t>> shape() const;
  /// Devices in all.
  int64_t size() const;
  bool has_axis(const std::string& name) const;
  /// Errors    throws INVALID_ARGUMENT for an axis that the mesh lacks
  int64_t axis_size(const std::string& name) const;
  /// Where the device at a place, counted row-major, stands along an axis. Precondition: the mesh has the axis.
  int64_t coordinate(const std::string& name, int64_t place) const;
  /// Whether this process can reach all of them.
  bool is_local() const;
  /// The places, counted row-major, of the devices that this process can reach, ascending.
  std::span<const int64_t> local_places() const;

  bool operator==(const Mesh& other) const;
  /// "Mesh('x': 2, 'y': 4)"
  std::string to_string() const;
  /// Equal for equal meshes and no others: devices and axes.
  const std::string& key() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// A mesh of the first devices(), or of the first of those given. jax.make_mesh.
/// Errors    throws INVALID_ARGUMENT if there are too few, and as Mesh
/// Example   make_mesh({2, 4}, {"x", "y"})
Mesh make_mesh(const std::vector<int64_t>& axis_sizes, const std::vector<std::string>& axis_names,
               std::vector<DevicePtr> devices = {}, std::source_location location = std::source_location::current());

std::ostream& operator<<(std::ostream& out, const Mesh& mesh);

}  // namespace hilo
