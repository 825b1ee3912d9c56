// SPDX-License-Identifier: Apache-2.0
// hlo/ops/check_instruction.h -- the complete check of one instruction, for builders, readers and the verifier.
#pragma once

#include <optional>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

/// Infers the shape of one instruction and checks its operands, types, attributes and declared shape. Returns the
/// declared shape if there is one (it may have a layout), else the inferred one.
/// Errors    INVALID_ARGUMENT, without the op's name; callers add it
StatusOr<Shape> check_instruction(const OpDef& def, std::span<const Shape> operands, const Attributes* attributes,
                                  const std::optional<Shape>& declared);

}  // namespace hilo::hlo
