// SPDX-License-Identifier: Apache-2.0
#include "tests/support/partitioned.h"

#include <cstring>
#include <string>

#include "hilo/device/buffer.h"

namespace hilo::tests {
namespace {

/// The start of each device's shard, by device and dimension.
StatusOr<std::vector<std::vector<int64_t>>> begins(const Shape& whole, const hlo::Sharding& sharding,
                                                   const hlo::Mesh& mesh, std::vector<int64_t>& sizes) {
  sizes.assign(whole.dimensions().begin(), whole.dimensions().end());
  std::vector<std::vector<int64_t>> made(static_cast<size_t>(mesh.device_count()), std::vector<int64_t>(sizes.size()));
  for (size_t d = 0; d < sizes.size(); ++d) {
    HILO_ASSIGN_OR_RETURN(const hlo::DimensionSplit split, hlo::split_dimension(mesh, sharding.dimensions[d].axes));
    sizes[d] /= split.parts;
    for (size_t device = 0; device < made.size(); ++device) made[device][d] = split.part_of_device[device] * sizes[d];
  }
  return made;
}

/// Calls back for each element of a box of `sizes` at `begin`, with its offsets in the whole and in the box.
template <typename F>
void for_each_element(const Shape& whole, const std::vector<int64_t>& begin, const std::vector<int64_t>& sizes,
                      F&& call) {
  const std::vector<int64_t> strides = row_major_strides(whole.dimensions());
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  for (int64_t k = 0; k < count; ++k) {
    int64_t left = k, place = 0;
    for (size_t d = sizes.size(); d-- > 0; left /= sizes[d]) place += (begin[d] + left % sizes[d]) * strides[d];
    call(static_cast<size_t>(place), static_cast<size_t>(k));
  }
}

size_t element_bytes(const Literal& literal) {
  const auto count = static_cast<size_t>(literal.shape().element_count());
  return count == 0 ? 0 : literal.bytes().size() / count;
}

}  // namespace

std::vector<Literal> cut_literal(const Literal& whole, const hlo::Sharding& sharding, const hlo::Mesh& mesh) {
  if (!whole.shape().is_array()) return std::vector<Literal>(static_cast<size_t>(mesh.device_count()), whole);
  std::vector<int64_t> sizes;
  std::vector<Literal> parts;
  const auto places = begins(whole.shape(), sharding, mesh, sizes);
  for (const std::vector<int64_t>& begin : *places) {
    Literal part(Shape::array(whole.shape().element_type(), sizes));
    const std::span<std::byte> to = part.mutable_bytes();
    const size_t bytes = element_bytes(whole);
    for_each_element(whole.shape(), begin, sizes, [&](size_t from, size_t k) {
      std::memcpy(to.data() + k * bytes, whole.bytes().data() + from * bytes, bytes);
    });
    parts.push_back(std::move(part));
  }
  return parts;
}

StatusOr<Literal> join_literals(const std::vector<Literal>& parts, const Shape& whole, const hlo::Sharding& sharding,
                                const hlo::Mesh& mesh) {
  if (!whole.is_array()) return parts[0];
  std::vector<int64_t> sizes;
  HILO_ASSIGN_OR_RETURN(const auto places, begins(whole, sharding, mesh, sizes));
  Literal made(whole.with_default_layout());
  const std::span<std::byte> to = made.mutable_bytes();
  for (size_t device = 0; device < parts.size(); ++device) {
    if (parts[device].shape() != Shape::array(whole.element_type(), sizes))
      return internal_error("device " + std::to_string(device) + " has " + parts[device].shape().to_string());
    const size_t bytes = element_bytes(parts[device]);
    for_each_element(whole, places[device], sizes, [&](size_t at, size_t k) {
      std::memcpy(to.data() + at * bytes, parts[device].bytes().data() + k * bytes, bytes);
    });
  }
  const std::vector<Literal> again = cut_literal(made, sharding, mesh);
  for (size_t device = 0; device < parts.size(); ++device) {
    if (!again[device].identical(parts[device]))
      return internal_error("device " + std::to_string(device) + " has another value than those that share its part");
  }
  return made;
}

StatusOr<std::vector<Literal>> run_partitioned(Client& client, const hlo::PartitionedProgram& program,
                                               const hlo::Mesh& mesh, const std::vector<Literal>& arguments,
                                               const Shape& results) {
  OfReplicas lists(static_cast<size_t>(mesh.device_count()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<Literal> parts = cut_literal(arguments[i], program.parameters[i], mesh);
    for (size_t device = 0; device < lists.size(); ++device) lists[device].push_back(parts[device]);
  }
  CompileOptions options;
  options.replica_count = mesh.device_count();
  HILO_ASSIGN_OR_RETURN(const auto executable, client.compile(program.module, options, nullptr));
  std::vector<std::vector<BufferPtr>> buffers(lists.size());
  for (size_t device = 0; device < lists.size(); ++device) {
    for (const Literal& argument : lists[device]) {
      HILO_ASSIGN_OR_RETURN(BufferPtr buffer, buffer_from_literal(*executable->devices()[device], argument));
      buffers[device].push_back(std::move(buffer));
    }
  }
  HILO_ASSIGN_OR_RETURN(const auto made, execute_replicas(*executable, buffers));
  const std::vector<Shape> wholes = results.leaves();
  std::vector<Literal> joined;
  for (size_t i = 0; i < wholes.size(); ++i) {
    std::vector<Literal> parts;
    for (const std::vector<BufferPtr>& of_device : made) {
      HILO_ASSIGN_OR_RETURN(Literal part, literal_from_buffer(*of_device[i]));
      parts.push_back(std::move(part));
    }
    const StatusOr<Literal> whole = join_literals(parts, wholes[i], program.results[i], mesh);
    if (!whole.ok()) return whole.status().with_context("result " + std::to_string(i));
    joined.push_back(*whole);
  }
  return joined;
}

}  // namespace hilo::tests
