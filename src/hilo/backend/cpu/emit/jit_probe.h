// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/jit_probe.h -- six tiny programs that test the code generator and the loader with each kind of
// input.
#pragma once

#include "hilo/backend/cpu/emit/jit.h"

namespace hilo::cpu {

/// Each program is one function named "probe".
enum class JitProbe : std::uint8_t {
  kAddOne,         ///< int64(int64): its argument plus one.
  kCallsLibrary,   ///< double(double, double): fmod, an external function.
  kReadsTable,     ///< int64(int64): the square of its argument modulo 8, from a constant table.
  kCallsStranger,  ///< calls a function that isn't a runtime symbol: INTERNAL.
  kImpossible,     ///< uses an instruction that SSE2 and AVX2 lack, which LLVM rejects: INTERNAL.
  kShortNumbers,   ///< numbers 128 lanes with signed bytes, which check_number_type rejects: INTERNAL.
};

/// Emits, compiles and loads the program.
StatusOr<std::shared_ptr<CompiledCode>> compile_probe(JitProbe probe, Isa isa);

}  // namespace hilo::cpu
