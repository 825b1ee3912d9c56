// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/narrow_dot.h -- the dot op on bf16 and on bytes, in strips.
#pragma once

#include "hilo/backend/cpu/library/hero.h"

namespace hilo::cpu {

/// Null for other types, and where the processor has no kernels for these.
std::unique_ptr<Hero> make_narrow_dot_hero(const HeroRequest& request);

}  // namespace hilo::cpu
