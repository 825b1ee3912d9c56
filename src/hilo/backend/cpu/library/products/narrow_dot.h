// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/narrow_dot.h -- the dot op on bf16, f16 and bytes, in strips.
#pragma once

#include "hilo/backend/cpu/library/hero.h"

namespace hilo::cpu {

/// Returns null for other types, and if the processor has no kernels for these.
std::unique_ptr<Hero> make_narrow_dot_hero(const HeroRequest& request);

/// Whether make_narrow_dot_hero supports the dot.
bool runs_narrow_dot(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands);

}  // namespace hilo::cpu
