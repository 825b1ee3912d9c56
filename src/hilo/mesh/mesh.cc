// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/array/device_put.h"
#include "hilo/array/error.h"
#include "hilo/array/refuse.h"
#include "hilo/device/client.h"

namespace hilo {
namespace {

/// Returns the product, or a number larger than any number of devices.
int64_t device_count_of(std::span<const int64_t> sizes) {
  constexpr int64_t kMaxDevices = 65536;
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 1)
      refuse("Mesh",
             fmt::format("sizes of axes are 1 or more; got ({}). Hint: leave the axis out", fmt::join(sizes, ", ")));
    count = size > kMaxDevices / count ? kMaxDevices + 1 : count * size;
  }
  return count;
}

template <typename T>
bool has_duplicates(std::vector<T> list) {
  std::ranges::sort(list);
  return std::ranges::adjacent_find(list) != list.end();
}

void check(const std::vector<DevicePtr>& devices, const std::vector<int64_t>& sizes,
           const std::vector<std::string>& names) {
  if (sizes.size() != names.size())
    refuse("Mesh", fmt::format("Mesh requires as many axis names as the devices have dimensions; got {} names for {} "
                               "dimensions",
                               names.size(), sizes.size()));
  if (has_duplicates(names))
    refuse("Mesh", fmt::format("axis names must be unique; got ('{}')", fmt::join(names, "', '")));
  if (std::ranges::any_of(names, [](const std::string& name) { return name.empty(); }))
    refuse("Mesh", "an axis without a name; wanted a name for each");
  if (device_count_of(sizes) != std::ssize(devices))
    refuse("Mesh", fmt::format("got {} devices for axes of sizes ({})", devices.size(), fmt::join(sizes, ", ")));
  if (has_duplicates(devices)) refuse("Mesh", "a device occurs twice; wanted each once");
  for (const DevicePtr& device : devices) {
    if (&device->client() == &devices[0]->client()) continue;
    refuse("Mesh",
           "devices of one platform make a mesh; got " + devices[0]->to_string() + " and " + device->to_string());
  }
}

std::vector<int64_t> places_here(const std::vector<DevicePtr>& devices) {
  std::vector<int64_t> places;
  for (size_t place = 0; place < devices.size(); ++place) {
    if (devices[place]->process_index() == devices[place]->client().process_index()) places.push_back(place);
  }
  return places;
}

/// Returns a key from device numbers and the client's address, which stays valid because the mesh holds the client.
std::string key_of(const std::vector<DevicePtr>& devices, const std::vector<int64_t>& sizes,
                   const std::vector<std::string>& names) {
  std::string key = fmt::format("{};", static_cast<const void*>(&devices[0]->client()));
  for (const DevicePtr& device : devices) key += fmt::format("{},", device->id());
  for (size_t i = 0; i < sizes.size(); ++i) key += fmt::format(";{}:{}={}", names[i].size(), names[i], sizes[i]);
  return key;
}

}  // namespace

struct Mesh::State {
  std::vector<DevicePtr> devices;
  std::vector<int64_t> axis_sizes;
  std::vector<std::string> axis_names;
  std::vector<int64_t> local_places;
  std::string key;
};

Mesh::Mesh(std::vector<DevicePtr> devices, std::vector<std::string> axis_names, std::source_location location)
    : Mesh(std::move(devices), {}, std::move(axis_names), location) {}

Mesh::Mesh(std::vector<DevicePtr> devices, std::vector<int64_t> axis_sizes, std::vector<std::string> axis_names,
           std::source_location location) {
  const UserLocation here(location);
  if (axis_sizes.empty() && axis_names.size() == 1) axis_sizes = {std::ssize(devices)};
  check(devices, axis_sizes, axis_names);
  std::string key = key_of(devices, axis_sizes, axis_names);
  std::vector<int64_t> local = places_here(devices);
  state_ = std::make_shared<const State>(
      State{std::move(devices), std::move(axis_sizes), std::move(axis_names), std::move(local), std::move(key)});
}

std::vector<std::pair<std::string, int64_t>> Mesh::shape() const {
  std::vector<std::pair<std::string, int64_t>> axes;
  for (size_t i = 0; i < axis_names().size(); ++i) axes.emplace_back(axis_names()[i], axis_sizes()[i]);
  return axes;
}

bool Mesh::has_axis(const std::string& name) const {
  return std::ranges::find(axis_names(), name) != axis_names().end();
}

int64_t Mesh::axis_size(const std::string& name) const {
  for (size_t i = 0; i < axis_names().size(); ++i) {
    if (axis_names()[i] == name) return axis_sizes()[i];
  }
  refuse("Mesh", fmt::format("{} has no axis '{}'", to_string(), name));
}

int64_t Mesh::coordinate(const std::string& name, int64_t place) const {
  for (size_t i = axis_names().size(); i-- > 0; place /= axis_sizes()[i]) {
    if (axis_names()[i] == name) return place % axis_sizes()[i];
  }
  return 0;
}

const std::vector<DevicePtr>& Mesh::devices() const { return state_->devices; }
const std::vector<std::string>& Mesh::axis_names() const { return state_->axis_names; }
const std::vector<int64_t>& Mesh::axis_sizes() const { return state_->axis_sizes; }
int64_t Mesh::size() const { return std::ssize(state_->devices); }
bool Mesh::is_local() const { return state_->local_places.size() == state_->devices.size(); }
std::span<const int64_t> Mesh::local_places() const { return state_->local_places; }
const std::string& Mesh::key() const { return state_->key; }

bool Mesh::operator==(const Mesh& other) const { return state_ == other.state_ || key() == other.key(); }

std::string Mesh::to_string() const {
  std::string text;
  for (const auto& [name, size] : shape()) text += fmt::format("{}'{}': {}", text.empty() ? "" : ", ", name, size);
  return "Mesh(" + text + ")";
}

Mesh make_mesh(const std::vector<int64_t>& axis_sizes, const std::vector<std::string>& axis_names,
               std::vector<DevicePtr> given, std::source_location location) {
  const UserLocation here(location);
  std::vector<DevicePtr> all = given.empty() ? devices() : std::move(given);
  const int64_t expected = device_count_of(axis_sizes);
  if (expected > std::ssize(all)) {
    refuse("make_mesh", fmt::format("Number of devices {} must be >= the product of mesh_shape ({}). Hint: "
                                    "jax_replica_count",
                                    all.size(), fmt::join(axis_sizes, ", ")));
  }
  all.resize(expected);
  return {std::move(all), axis_sizes, axis_names, location};
}

std::ostream& operator<<(std::ostream& out, const Mesh& mesh) { return out << mesh.to_string(); }

}  // namespace hilo
