// SPDX-License-Identifier: Apache-2.0
// trace/primitive_name.h -- user-visible names of ops: their names in jax.lax, if they have one. Not for users.
#pragma once

#include <string_view>

#include "hilo/hlo/ir/opcode.h"

namespace hilo {

/// Returns "sin" for sine, "dot_general" for dot; the HLO name if JAX has none.
std::string_view primitive_name(hlo::Opcode opcode);

}  // namespace hilo
