// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/routines.h"

#include <algorithm>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/object/services.h"

namespace hilo::cpu {

StatusOr<Routines> routines_of(const engine::Plan& plan, Isa isa) {
  Routines routines;
  for (const engine::LibraryCall& call : plan.library_calls) {
    HILO_ASSIGN_OR_RETURN(routines.emplace_back(), routine_of(call, isa));
  }
  return routines;
}

int64_t scratch_bytes(const Routines& routines) {
  size_t bytes = 0;
  for (const std::optional<RoutineCall>& routine : routines) {
    if (routine) bytes = std::max(bytes, routine->scratch_bytes);
  }
  return static_cast<int64_t>(bytes);
}

int64_t scratch_offset(const engine::Plan& plan) {
  return (plan.arena_bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

}  // namespace hilo::cpu
