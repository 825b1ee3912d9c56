// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/named_sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/array/refuse.h"

namespace hilo {
namespace {

void check(const Mesh& mesh, const PartitionSpec& spec) {
  std::vector<std::string> seen;
  for (const std::string& axis : spec.axes()) {
    if (!mesh.has_axis(axis)) {
      refuse("NamedSharding", fmt::format("Resource axis: {} of {} is not found in mesh: ('{}')", axis,
                                          spec.to_string(), fmt::join(mesh.axis_names(), "', '")));
    }
    if (std::ranges::find(seen, axis) != seen.end()) {
      throw DuplicateSpecError(invalid_argument(
          at_user_line("NamedSharding") +
          fmt::format(
              ": a spec can map every mesh axis to at most one dimension, but {} has duplicate entries for `{}`",
              spec.to_string(), axis)));
    }
    seen.push_back(axis);
  }
}

std::string key_of(const Mesh& mesh, const PartitionSpec& spec) { return mesh.key() + "|" + spec.to_string(); }

}  // namespace

struct NamedSharding::State {
  Mesh mesh;
  PartitionSpec spec;
  std::string key;
};

const Mesh& NamedSharding::mesh() const { return state_->mesh; }
const PartitionSpec& NamedSharding::spec() const { return state_->spec; }
const std::string& NamedSharding::key() const { return state_->key; }
bool NamedSharding::is_fully_addressable() const { return mesh().is_local(); }
bool NamedSharding::operator==(const NamedSharding& other) const {
  return state_ == other.state_ || key() == other.key();
}

std::shared_ptr<const void> NamedSharding::state() const { return state_; }
NamedSharding NamedSharding::from_state(const std::shared_ptr<const void>& state) {
  return NamedSharding(std::static_pointer_cast<const State>(state));
}
NamedSharding::NamedSharding(std::shared_ptr<const State> state) : state_(std::move(state)) {}

NamedSharding::NamedSharding(const Mesh& mesh, const PartitionSpec& spec, std::source_location location) {
  const UserLocation here(location);
  check(mesh, spec);
  state_ = std::make_shared<const State>(State{mesh, spec, key_of(mesh, spec)});
}

int64_t NamedSharding::parts(size_t dimension) const {
  int64_t parts = 1;
  for (const std::string& axis : spec().entry(dimension).axes()) parts *= mesh().axis_size(axis);
  return parts;
}

int64_t NamedSharding::part(size_t dimension, int64_t place) const {
  int64_t part = 0;
  for (const std::string& axis : spec().entry(dimension).axes())
    part = part * mesh().axis_size(axis) + mesh().coordinate(axis, place);
  return part;
}

std::vector<int64_t> NamedSharding::shard_shape(std::span<const int64_t> shape, std::source_location location) const {
  const UserLocation here(location);
  if (spec().size() > shape.size()) {
    refuse(
        "NamedSharding",
        fmt::format("Sharding {} is only valid for values of rank at least {}, but was applied to a value of rank {}",
                    to_string(), spec().size(), shape.size()));
  }
  std::vector<int64_t> part(shape.begin(), shape.end());
  for (size_t d = 0; d < part.size(); ++d) {
    const int64_t count = parts(d);
    if (part[d] % count != 0) {
      throw IndivisibleError(invalid_argument(
          at_user_line("NamedSharding") +
          fmt::format(": Sharding {} implies that array axis {} is partitioned {} times, but the dimension size is {} "
                      "(full shape: ({})). Hint: pad the dimension to a multiple of {}",
                      to_string(), d, count, part[d], fmt::join(shape, ", "), count)));
    }
    part[d] /= count;
  }
  return part;
}

bool NamedSharding::is_fully_replicated() const {
  for (size_t d = 0; d < spec().size(); ++d) {
    if (parts(d) != 1) return false;
  }
  return true;
}

bool NamedSharding::is_equivalent_to(const NamedSharding& other, int64_t ndim) const {
  if (*this == other) return true;
  if (mesh().devices() != other.mesh().devices()) return false;
  for (int64_t d = 0; d < ndim; ++d) {
    if (parts(d) != other.parts(d)) return false;
    for (int64_t place = 0; place < mesh().size(); ++place) {
      if (part(d, place) != other.part(d, place)) return false;
    }
  }
  return true;
}

std::string NamedSharding::to_string() const {
  if (mesh().axis_names().empty()) return "SingleDeviceSharding(device=" + mesh().devices()[0]->to_string() + ")";
  return "NamedSharding(mesh=" + mesh().to_string() + ", spec=" + spec().to_string() + ")";
}

NamedSharding SingleDeviceSharding(const DevicePtr& device) {
  return {Mesh({device}, std::vector<int64_t>{}, {}), PartitionSpec()};
}

std::ostream& operator<<(std::ostream& out, const NamedSharding& sharding) { return out << sharding.to_string(); }

}  // namespace hilo
