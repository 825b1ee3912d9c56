// SPDX-License-Identifier: Apache-2.0
// backend/cpu/abi/isa.h -- the three instruction sets hilo emits code for, and which of them this process uses.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::cpu {

/// Instruction sets by rising width; each one includes those before it.
/// kSse2 is plain x86-64. kAvx2 adds AVX2, FMA, F16C, BMI2. kAvx512 adds AVX-512 F, BW, DQ, VL, CD.
enum class Isa : std::uint8_t { kSse2, kAvx2, kAvx512 };

/// "sse2", "avx2", "avx512": the words of HILO_ISA and of `hilo info`.
std::string_view isa_name(Isa isa);

/// The instruction set of that name.
/// Errors: INVALID_ARGUMENT for any other word.
StatusOr<Isa> parse_isa(std::string_view name);

/// The widest instruction set that processor and operating system support.
Isa host_isa();

/// Every instruction set this machine can run, narrowest first.
std::vector<Isa> supported_isas();

/// The instruction set to emit for: what HILO_ISA asks for, else host_isa(). Reads the environment at each
/// call. Errors: INVALID_ARGUMENT for an unknown word, FAILED_PRECONDITION if the machine lacks it.
StatusOr<Isa> selected_isa();

/// Bytes of one vector register: 16, 32, 64.
int vector_bytes(Isa isa);

/// True if one instruction computes a*b+c with a single rounding.
inline bool has_fma(Isa isa) { return isa != Isa::kSse2; }

/// True if the processor converts between f16 and f32.
inline bool has_f16_convert(Isa isa) { return isa != Isa::kSse2; }

/// The LLVM processor name, whose scheduling model is used. A generic level, not the host's name, so that
/// cached kernels mean the same on every machine with that instruction set.
const char* llvm_cpu_name(Isa isa);

/// The LLVM feature string that goes with llvm_cpu_name.
const char* llvm_features(Isa isa);

}  // namespace hilo::cpu
