// SPDX-License-Identifier: Apache-2.0
// hlo/passes/expansion.h -- what passes share that raise what was written out, and how they recognise special functions.
#pragma once

#include <optional>
#include <span>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// The real number that an instruction is everywhere, if it is one.
std::optional<double> splat_number(const RewriteBuilder& builder, InstructionId id);

/// Whether `id` is computed from x and constants alone, element by element, with an instruction of `opcode` and one of
/// the constants in `coefficients` (to 1e-7 of it).
/// Cost    bounded: larger computations are none
bool is_expansion(const RewriteBuilder& builder, InstructionId id, InstructionId x, Opcode opcode,
                  std::span<const double> coefficients);

/// Coefficients of Lanczos's series, in the expansions of lgamma and digamma and nowhere else.
inline constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283};

/// The op `opcode` of x, if it takes x's type; else kNoInstruction.
InstructionId add_raised(RewriteBuilder& builder, Opcode opcode, InstructionId x);

/// Rewrites by `rule` those computations of a module that have `opcode`. Whether any changed.
StatusOr<bool> raise_where(Module& module, Opcode opcode, RewriteRule rule);

}  // namespace hilo::hlo
