// SPDX-License-Identifier: Apache-2.0
// pjrt/placement.h -- how an array of a program lies on the program's devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hilo/device/buffer.h"
#include "hilo/hlo/sharding/sharding.h"

namespace hilo::pjrt {

/// A box of the array on each device; all boxes have one shape. Devices count as the program's do: partitions of a
/// replica.
struct Placement {
  Shape whole;  ///< as the program has it
  Shape part;   ///< as each device has it; the whole where nothing is cut
  /// The first element of the part in each dimension, by device; empty: every device has the whole.
  std::vector<std::vector<int64_t>> begins;
  /// Which of the summands that make up the box a device has; empty: each device has the sum.
  std::vector<int64_t> summands;
  std::string sharding;  ///< as OpSharding; empty: replicated
  bool is_whole() const { return begins.empty(); }
};

/// An array that every device has whole.
Placement replicated(const Shape& shape);

/// By a sharding of Shardy over `devices` devices.
/// Errors    INVALID_ARGUMENT for a sharding that isn't the array's; UNIMPLEMENTED for parts that differ in size
StatusOr<Placement> placement_of(const Shape& shape, const hlo::Sharding& sharding, const hlo::Mesh& mesh,
                                 int64_t devices);

/// The whole array on `device`, of its parts: what stands beside each other, and the sums of summands.
/// Errors    those of the copies; UNIMPLEMENTED for sums of types without addition
StatusOr<BufferPtr> gather(const Placement& placement, Device& device, std::span<const BufferPtr> parts);

/// Device k's part of the whole array, on `device`. The first of several summands is all, the others are zero.
StatusOr<BufferPtr> cut(const Placement& placement, Device& device, size_t k, const BufferPtr& whole);

}  // namespace hilo::pjrt
