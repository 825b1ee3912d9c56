// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/narrow_dot.h -- the dot op on bf16 and on bytes, where the processor has instructions for them.
#pragma once

#include "hilo/backend/cpu/library/hero.h"

namespace hilo::cpu {

/// `exact`, or one by these instructions, which calls `exact` for numbers that they flush.
std::unique_ptr<Hero> make_narrow_dot_hero(const HeroRequest& request, std::unique_ptr<Hero> exact);

}  // namespace hilo::cpu
