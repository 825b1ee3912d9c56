// SPDX-License-Identifier: Apache-2.0
// hlo/partition/op_parts.h -- computes one op on shards.
#pragma once

#include <memory>
#include <span>

#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

struct View;

/// A leaf (an array, token, ...) in the program of one device.
struct Part {
  Expr value;
  ArraySplit split;
  bool constant = false;                 ///< sharded at each use
  std::shared_ptr<View> view = nullptr;  ///< deferred value; null if `value` is set
};

/// Packs leaves into a value of shape `whole`, or unpacks them.
Expr pack(DeviceProgram& program, const Shape& whole, std::span<const Part> leaves);
std::vector<Expr> unpack(Expr value);

/// Writes the op with its results sharded as `requested`, leaf by leaf.
std::vector<Part> write_op(DeviceProgram& program, const Instruction& instruction, const Computation& computation,
                           std::span<const Part> operands, std::span<const ArraySplit> requested);

}  // namespace hilo::hlo
