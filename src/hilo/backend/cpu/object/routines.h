// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/routines.h -- the library calls of a plan that an object can make: those of libhilo_rt.a.
#pragma once

#include <optional>
#include <vector>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/hero.h"
#include "hilo/engine/plan.h"

namespace hilo::cpu {

/// Per entry of Plan::library_calls: the call of libhilo_rt.a; nothing if that has no such function.
using Routines = std::vector<std::optional<RoutineCall>>;

/// Returns the calls of a plan for that instruction set.
StatusOr<Routines> routines_of(const engine::Plan& plan, Isa isa);

/// Returns the bytes of scratch memory that the calls need. They run one after the other and share it. It is behind the
/// plan's memory, at scratch_offset().
int64_t scratch_bytes(const Routines& routines);
int64_t scratch_offset(const engine::Plan& plan);

}  // namespace hilo::cpu
