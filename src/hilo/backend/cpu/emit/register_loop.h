// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/register_loop.h -- compiles loops with their carry in registers as one function.
#pragma once

#include <memory>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/engine/register_loop.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

struct RegisterLoop {
  static constexpr const char* kName = "register-loop";  ///< of the function

  std::shared_ptr<CompiledCode> code;
};
inline int64_t held_bytes(const RegisterLoop& loop) { return std::ssize(*loop.code); }

/// Compiles the loop `while condition do body` to a RegisterLoopFunction, once per process. Precondition: `form` is the
/// result of register_loop_form.
StatusOr<RegisterLoop> compile_register_loop(const hlo::Computation& condition, const hlo::Computation& body,
                                             const engine::RegisterLoopForm& form, Isa isa);

}  // namespace hilo::cpu
