// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/functions.h -- the table of functions.inc. A function without a definition doesn't link.
#pragma once

#include <string_view>

#include "hilo/backend/cpu/runtime/call.h"

namespace hilo::cpu::runtime {

extern "C" {
#define HILO_RUNTIME(enumerator, name) void hilo_rt_##name(const Call* call, int64_t begin, int64_t end);
#include "hilo/backend/cpu/runtime/functions.inc"
#undef HILO_RUNTIME
}

enum class Routine : uint8_t {
#define HILO_RUNTIME(enumerator, name) enumerator,
#include "hilo/backend/cpu/runtime/functions.inc"
#undef HILO_RUNTIME
};

struct NamedFunction {
  std::string_view name;
  Function function;
};

inline constexpr NamedFunction kFunctions[] = {
#define HILO_RUNTIME(enumerator, name) {"hilo_rt_" #name, hilo_rt_##name},
#include "hilo/backend/cpu/runtime/functions.inc"
#undef HILO_RUNTIME
};

constexpr const NamedFunction& function_of(Routine routine) { return kFunctions[static_cast<size_t>(routine)]; }

}  // namespace hilo::cpu::runtime
