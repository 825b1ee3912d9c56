// SPDX-License-Identifier: Apache-2.0
// backend/cpu/abi/isa.h -- the instruction sets that hilo emits code for, and the selection for this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::cpu {

/// The first three are x86-64, by increasing width; each one includes the previous ones. kSse2 is plain x86-64. kAvx2
/// adds AVX2, FMA, F16C, BMI2. kAvx512 adds AVX-512 F, BW, DQ, VL, CD. kNeon is AArch64 (ARMv8-A without extensions).
/// Only objects are written for it. kNeonBits is kAvx2's instructions on vectors of 16 bytes: an x86-64 processor
/// computes kNeon's sums in the same order with it, for the tests of objects. The others are for objects with the same
/// bits on all of them: LLVM receives the same operations, on vectors of 32 bytes and without fused multiply-adds, and
/// lowers them to the instructions of kSse2, kAvx2, kAvx512 or kNeon.
enum class Isa : std::uint8_t {
  kSse2,
  kAvx2,
  kAvx512,
  kNeon,
  kNeonBits,
  kExactSse2,
  kExactAvx2,
  kExactAvx512,
  kExactNeon
};
inline constexpr size_t kIsaCount = 9;

/// Whether code for it has the same bits on all processors.
inline bool is_exact(Isa isa) { return isa >= Isa::kExactSse2; }

/// Returns the exact instruction set of a processor. Precondition: not kNeonBits.
Isa exact_of(Isa isa);

/// Whether hilo is built for x86-64. Only then the library has kernels for AVX2, AVX-512 and their extensions.
#if defined(__x86_64__)
inline constexpr bool kIsX86 = true;
#else
inline constexpr bool kIsX86 = false;
#endif

/// Whether it is for AArch64.
inline bool is_arm(Isa isa) { return isa == Isa::kNeon || isa == Isa::kExactNeon; }

/// Returns the instruction set of the library functions that code for it calls: the base, unless it is one of jit's.
inline Isa library_isa(Isa isa) { return isa <= Isa::kAvx512 ? isa : Isa::kSse2; }

/// Returns "sse2", "avx2" or "avx512": the values of HILO_ISA and of `hilo info`; "neon", "neon_bits" or "exact_sse2".
std::string_view isa_name(Isa isa);

/// Returns the instruction set of x86-64 of that name.
/// Errors: INVALID_ARGUMENT for any other word.
StatusOr<Isa> parse_isa(std::string_view name);

/// Returns the widest instruction set that the processor and the operating system support.
Isa host_isa();

/// Returns the instruction sets that this machine supports, narrowest first.
std::vector<Isa> supported_isas();

/// Returns the instruction set to emit for: that of HILO_ISA, or host_isa() if it is unset. Reads the environment at
/// each call. Errors: INVALID_ARGUMENT for an unknown word, FAILED_PRECONDITION if the machine lacks it.
StatusOr<Isa> selected_isa();

/// Whether this process can load code for it; the processor may still lack the instructions.
bool is_native(Isa isa);

/// Whether the processor and the operating system have these instructions.
bool host_has(Isa isa);

/// Returns the bytes of a vector: 16, 32 or 64. Those of an exact instruction set may be several registers.
int vector_bytes(Isa isa);

/// Whether there are 32 vector registers, not 16. kNeonBits claims as many, so that its code is that of kNeon.
inline bool has_32_registers(Isa isa) { return isa >= Isa::kAvx512 && !is_exact(isa); }

/// Whether one instruction computes a*b+c with a single rounding.
inline bool has_fma(Isa isa) { return isa != Isa::kSse2 && !is_exact(isa); }

/// Whether one instruction rounds to an integer.
inline bool has_rounding(Isa isa) { return isa != Isa::kSse2 && !is_exact(isa); }

/// Whether the processor converts between f16 and f32.
inline bool has_f16_convert(Isa isa) { return isa != Isa::kSse2 && !is_exact(isa); }

/// Returns LLVM's triple: the architecture, and Linux.
const char* llvm_triple(Isa isa);

/// Returns LLVM's processor name, which selects the scheduling model. It is a generic level, so cached kernels are
/// valid on every machine with that instruction set.
const char* llvm_cpu_name(Isa isa);

/// Returns the LLVM feature string for llvm_cpu_name.
const char* llvm_features(Isa isa);

}  // namespace hilo::cpu
