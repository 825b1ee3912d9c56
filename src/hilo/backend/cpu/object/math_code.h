// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/math_code.h -- the functions that kernels call by name, in LLVM IR: loops over libm's, and the
// question whether to stop.
#pragma once

#include <string_view>

#include "hilo/base/status.h"
#include "hilo/device/object_files.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

/// Emits the function into the module. Those of scalar_math.h and hilo_stop_requested exist; calls of the
/// latter always go on, because only loops and steps look at the stop word of a call. With a runtime, those of
/// complex_math.h call libhilo_rt.a.
/// Returns   false for any other name
bool emit_math(llvm::Module& module, std::string_view name, ObjectRuntime runtime);

/// Whether the name is one of the C library that an object may call.
bool is_c_function(std::string_view name);

}  // namespace hilo::cpu
