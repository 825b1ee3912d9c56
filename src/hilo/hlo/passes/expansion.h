// SPDX-License-Identifier: Apache-2.0
// hlo/passes/expansion.h -- helpers of the passes that recognize special functions in their written-out form.
#pragma once

#include <optional>
#include <span>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// Returns the real number that every element of an instruction is, if it is known.
std::optional<double> splat_number(const RewriteBuilder& builder, InstructionId id);

/// Returns whether `id` is computed elementwise from x and constants alone, including an instruction of `opcode` and
/// one of the constants in `coefficients` (with relative error 1e-7).
/// Cost      bounded; false for larger computations
bool is_expansion(const RewriteBuilder& builder, InstructionId id, InstructionId x, Opcode opcode,
                  std::span<const double> coefficients);

/// Coefficients of Lanczos's series, which occur only in the expansions of lgamma and digamma.
inline constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283};

/// Adds the op `opcode` of x. Returns kNoInstruction if the op doesn't accept x's type.
InstructionId add_raised(RewriteBuilder& builder, Opcode opcode, InstructionId x);

/// Applies `rule` to the computations of a module that contain `opcode`. Returns whether any changed.
StatusOr<bool> raise_where(Module& module, Opcode opcode, RewriteRule rule);

}  // namespace hilo::hlo
