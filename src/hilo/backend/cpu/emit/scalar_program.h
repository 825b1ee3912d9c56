// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/scalar_program.h -- compiles whole computations over scalars as one function: comparators,
// combiners.
#pragma once

#include <memory>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

struct ScalarProgram {
  static constexpr const char* kName = "scalar";  ///< of the function

  std::shared_ptr<CompiledCode> code;
  ScalarFunction function = nullptr;
};
inline int64_t held_bytes(const ScalarProgram& program) { return std::ssize(*program.code); }

/// Compiles the function, once per process and program. Precondition: is_scalar_program.
StatusOr<ScalarProgram> compile_scalar_program(const hlo::Computation& computation, Isa isa);

}  // namespace hilo::cpu
