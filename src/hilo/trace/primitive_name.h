// SPDX-License-Identifier: Apache-2.0
// trace/primitive_name.h -- what users call an op: its name in jax.lax where it has one. Not for users.
#pragma once

#include <string_view>

#include "hilo/hlo/ir/opcode.h"

namespace hilo {

/// "sin" of sine, "dot_general" of dot; as in HLO where JAX has no name of its own.
std::string_view primitive_name(hlo::Opcode opcode);

}  // namespace hilo
