// SPDX-License-Identifier: Apache-2.0
// hlo/partition/op_parts.h -- one op on parts of its arrays.
#pragma once

#include <memory>
#include <span>

#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

struct View;

/// An array, or another leaf, of the program of one device.
struct Part {
  Expr value;
  ArraySplit split;
  bool constant = false;                 ///< lies nowhere: cut where it is used
  std::shared_ptr<View> view = nullptr;  ///< instead of `value`: not made yet
};

/// Leaves of a value as that value, and back.
Expr pack(DeviceProgram& program, const Shape& whole, std::span<const Part> leaves);
std::vector<Expr> unpack(Expr value);

/// Writes the op so that its results are cut as `wanted`, leaf by leaf.
std::vector<Part> write_op(DeviceProgram& program, const Instruction& instruction, const Computation& computation,
                           std::span<const Part> operands, std::span<const ArraySplit> wanted);

}  // namespace hilo::hlo
