// SPDX-License-Identifier: Apache-2.0
// pjrt/placement.h -- the placement of an array on the program's devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hilo/device/buffer.h"
#include "hilo/hlo/sharding/sharding.h"

namespace hilo::pjrt {

/// A box of the array per device; all boxes have one shape. Devices are numbered as in the program: partitions of a
/// replica.
struct Placement {
  Shape whole;  ///< shape in the program
  Shape part;   ///< shape on each device; equal to the whole if nothing is split
  /// First element of the part in each dimension, by device. Empty means that every device has the whole.
  std::vector<std::vector<int64_t>> begins;
  /// Index of the partial result on each device, if the box is unreduced. Empty means that each device has the whole.
  std::vector<int64_t> summands;
  std::string sharding;                                 ///< as OpSharding; empty means replicated
  hlo::ReducerKind reduction = hlo::ReducerKind::kAdd;  ///< of partial results
  bool is_whole() const { return begins.empty(); }
};

/// Returns the placement of an array that every device has completely.
Placement replicated(const Shape& shape);

/// Returns the placement for a sharding of Shardy over `devices` devices.
/// Errors    INVALID_ARGUMENT for a sharding that doesn't match the array; UNIMPLEMENTED for parts of different sizes
StatusOr<Placement> placement_of(const Shape& shape, const hlo::Sharding& sharding, const hlo::Mesh& mesh,
                                 int64_t devices);

/// Returns the whole array on `device`: concatenates the parts and reduces partial results.
/// Errors    those of the copies; UNIMPLEMENTED for types without the reduction
StatusOr<BufferPtr> gather(const Placement& placement, Device& device, std::span<const BufferPtr> parts);

/// Returns device k's part of the whole array, on `device`. Of several summands the first one is the array, the others
/// are zero. All partial maxima or minima are the array.
StatusOr<BufferPtr> cut(const Placement& placement, Device& device, size_t k, const BufferPtr& whole);

}  // namespace hilo::pjrt
