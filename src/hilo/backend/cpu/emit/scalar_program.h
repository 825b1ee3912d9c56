// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/scalar_program.h -- whole computations over scalars as one function: comparators, and loops whose carry
// lives in registers.
#pragma once

#include <memory>

#include "hilo/backend/cpu/compiled_code.h"
#include "hilo/backend/cpu/isa.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

/// True if every value is a scalar that has code, and every op is elementwise, a tuple, a call, a loop or a branch.
bool is_scalar_program(const hlo::Computation& computation);

/// Reads one scalar per leaf of the parameters, writes one per leaf of the result. Polls *cancel_word at back edges (never
/// null). Returns 0, or 1 if cancelled.
using ScalarFunction = int32_t (*)(const void* const* arguments, void* const* results, const uint32_t* cancel_word);

struct ScalarProgram {
  std::shared_ptr<CompiledCode> code;
  ScalarFunction function = nullptr;
};
inline int64_t held_bytes(const ScalarProgram& program) { return static_cast<int64_t>(program.code->size()); }

/// Precondition: is_scalar_program. Compiled once per process and meaning.
StatusOr<ScalarProgram> compile_scalar_program(const hlo::Computation& computation, Isa isa);

/// The loop `while condition do body` as a function of its carry. Precondition: both are scalar programs.
StatusOr<ScalarProgram> compile_scalar_loop(const hlo::Computation& condition, const hlo::Computation& body, Isa isa);

}  // namespace hilo::cpu
