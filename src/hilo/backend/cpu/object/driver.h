// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/driver.h -- the C functions of a program in LLVM IR: they check their arguments and run the plan.
#pragma once

#include <span>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/object/c_interface.h"
#include "hilo/backend/cpu/object/routines.h"
#include "hilo/engine/plan.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

struct DriverSource {
  const engine::Plan& plan;
  const CInterface& interface;
  int64_t arena_bytes;                 ///< that callers provide: the most that a level needs
  std::string prefix;                  ///< of the names in this plan's code: "NAME", or "NAME.v3"
  std::vector<std::string> functions;  ///< per entry of Plan::functions, its name in the object
  const Routines& routines;            ///< per entry of Plan::library_calls
};

/// Emits PREFIX_call, which checks its arguments and runs the plan on the caller's thread and stack. Precondition:
/// why_not_object() is ok.
void emit_call(llvm::Module& module, const DriverSource& source);

/// Emits NAME, which has a parameter for each array and calls NAME_call.
void emit_typed(llvm::Module& module, const CInterface& interface);

/// Emits NAME_call for code of several levels, lowest first: it calls NAME.LEVEL_call of the highest one that the
/// processor has. The first call finds it; concurrent first calls find the same.
void emit_dispatch(llvm::Module& module, const CInterface& interface, std::span<const Isa> levels);

/// Returns the names in code of a level: "NAME.v3".
std::string level_prefix(const CInterface& interface, Isa isa);

}  // namespace hilo::cpu
