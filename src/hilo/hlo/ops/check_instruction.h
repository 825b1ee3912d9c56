// SPDX-License-Identifier: Apache-2.0
// hlo/ops/check_instruction.h -- the one check of an instruction, for builders, readers and the verifier.
#pragma once

#include <optional>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

/// Infers the shape and checks operands, types, attributes and the declared shape of one instruction.
/// Returns    the declared shape if there is one (it may carry a layout), else the inferred one
/// Errors     INVALID_ARGUMENT, without the op's name; callers add it
StatusOr<Shape> check_instruction(const OpDef& def, std::span<const Shape> operands, const Attributes* attributes,
                                  const std::optional<Shape>& declared);

}  // namespace hilo::hlo
