// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/abi/isa.h"

#include "hilo/base/sizes.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <span>
#include <string>

namespace hilo::cpu {
namespace {

struct IsaRow {
  Isa isa;
  std::string_view name;
  int vector_bytes;
  const char* triple;
  const char* cpu;
  const char* features;
};

constexpr const char* kX86 = "x86_64-unknown-linux-gnu";
constexpr const char* kArm = "aarch64-unknown-linux-gnu";
constexpr int kExactBytes = 32;

constexpr const char* kAvx2Features = "+avx2,+fma,+f16c,+bmi2";
// prefer-256-bit is a tuning flag of x86-64-v4. With it, LLVM would split 512-bit loads and the shuffles that it adds.
constexpr const char* kAvx512Features =
    "+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd,+fma,+f16c,+bmi2,-prefer-256-bit";

constexpr std::array<IsaRow, kIsaCount> kIsas = {{
    {Isa::kSse2, "sse2", 16, kX86, "x86-64", ""},
    {Isa::kAvx2, "avx2", 32, kX86, "x86-64-v3", kAvx2Features},
    {Isa::kAvx512, "avx512", 64, kX86, "x86-64-v4", kAvx512Features},
    {Isa::kNeon, "neon", 16, kArm, "generic", "+neon"},
    {Isa::kNeonBits, "neon_bits", 16, kX86, "x86-64-v3", kAvx2Features},
    {Isa::kExactSse2, "exact_sse2", kExactBytes, kX86, "x86-64", ""},
    {Isa::kExactAvx2, "exact_avx2", kExactBytes, kX86, "x86-64-v3", kAvx2Features},
    {Isa::kExactAvx512, "exact_avx512", kExactBytes, kX86, "x86-64-v4", kAvx512Features},
    {Isa::kExactNeon, "exact_neon", kExactBytes, kArm, "generic", "+neon"},
}};
// Those that jit uses on the architecture that hilo is built for.
#if defined(__aarch64__)
constexpr std::string_view kHost = kArm;
constexpr std::span kSelectable = std::span(kIsas).subspan(3, 1);
bool host_has_avx2() { return false; }
bool host_has_avx512() { return false; }
#else
constexpr std::string_view kHost = kX86;
constexpr std::span kSelectable = std::span(kIsas).first(3);
bool host_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
         __builtin_cpu_supports("bmi2");
}
bool host_has_avx512() {
  return host_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}
#endif

const IsaRow& row(Isa isa) { return kIsas[ordinal(isa)]; }

}  // namespace

std::string_view isa_name(Isa isa) { return row(isa).name; }

Isa exact_of(Isa isa) {
  switch (isa) {
    case Isa::kSse2: return Isa::kExactSse2;
    case Isa::kAvx2: return Isa::kExactAvx2;
    case Isa::kAvx512: return Isa::kExactAvx512;
    default: return Isa::kExactNeon;
  }
}

bool is_native(Isa isa) { return row(isa).triple == kHost; }

bool host_has(Isa isa) {
  if (!is_native(isa)) return false;
  switch (isa) {
    case Isa::kSse2:
    case Isa::kExactSse2:
    case Isa::kNeon:
    case Isa::kExactNeon: return true;
    case Isa::kAvx2:
    case Isa::kExactAvx2:
    case Isa::kNeonBits: return host_has_avx2();
    case Isa::kAvx512:
    case Isa::kExactAvx512: return host_has_avx512();
  }
  return false;
}

StatusOr<Isa> parse_isa(std::string_view name) {
  for (const IsaRow& r : kSelectable) {
    if (r.name == name) return r.isa;
  }
  std::string wanted;
  for (const IsaRow& r : kSelectable) {
    if (!wanted.empty()) wanted += r.isa == kSelectable.back().isa ? " or " : ", ";
    wanted += r.name;
  }
  return invalid_argument(fmt::format("HILO_ISA: unknown instruction set; got '{}'; wanted {}", name, wanted));
}

Isa host_isa() {
  Isa widest = kSelectable.front().isa;
  for (const IsaRow& r : kSelectable) {
    if (host_has(r.isa)) widest = r.isa;
  }
  return widest;
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (const IsaRow& r : kSelectable) {
    if (host_has(r.isa)) isas.push_back(r.isa);
  }
  return isas;
}

StatusOr<Isa> selected_isa() {
  const char* requested = std::getenv("HILO_ISA");
  if (requested == nullptr || *requested == '\0') return host_isa();
  HILO_ASSIGN_OR_RETURN(Isa isa, parse_isa(requested));
  if (host_has(isa)) return isa;
  return failed_precondition(fmt::format(
      "HILO_ISA: this machine lacks the instruction set; got '{}'; wanted at most '{}'. Hint: unset HILO_ISA "
      "to use the widest one available",
      requested, isa_name(host_isa())));
}

int vector_bytes(Isa isa) { return row(isa).vector_bytes; }
const char* llvm_triple(Isa isa) { return row(isa).triple; }
const char* llvm_cpu_name(Isa isa) { return row(isa).cpu; }
const char* llvm_features(Isa isa) { return row(isa).features; }

}  // namespace hilo::cpu
