// SPDX-License-Identifier: Apache-2.0
// bench/preload/without_avx512.cc -- loaded before a program (LD_PRELOAD), it hides AVX-512 and AMX from CPUID.
// jaxlib's library products use them with any --xla_cpu_max_isa. Intel's processors can make CPUID fault in a program
// (arch_prctl(2), ARCH_SET_CPUID); the signal handler then returns the reduced answer. On processors without this
// feature the program ends at once.
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

struct Answer {
  uint32_t a, b, c, d;
};

long allow_cpuid(bool allowed) { return ::syscall(SYS_arch_prctl, ARCH_SET_CPUID, allowed ? 1L : 0L); }

constexpr uint32_t bits(std::initializer_list<int> places) {
  uint32_t all = 0;
  for (const int place : places) all |= uint32_t{1} << place;
  return all;
}

/// By the tables of Intel's Software Developer's Manual, volume 2, CPUID.
void hide(uint32_t leaf, uint32_t subleaf, Answer& x) {
  if (leaf != 7) return;
  if (subleaf == 0) {
    x.b &= ~bits({16, 17, 21, 26, 27, 28, 30, 31});  // AVX-512: F, DQ, IFMA, PF, ER, CD, BW, VL
    x.c &= ~bits({1, 6, 11, 12, 14});                // VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ
    x.d &= ~bits({2, 3, 8, 22, 23, 24, 25});         // 4VNNIW, 4FMAPS, VP2INTERSECT, FP16; AMX
  } else if (subleaf == 1) {
    x.a &= ~bits({4, 5, 21, 23});  // AVX-VNNI, which came with or after it; BF16, AMX-FP16, AVX-IFMA
    x.d = 0;                       // AVX-VNNI-INT8, AVX-NE-CONVERT, AMX-COMPLEX, AVX10
  }
}

void on_fault(int number, siginfo_t* info, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* const code = reinterpret_cast<const uint8_t*>(registers[REG_RIP]);
  if (info->si_code != SI_KERNEL || code[0] != 0x0f || code[1] != 0xa2) {  // not CPUID: as without a handler
    std::signal(number, SIG_DFL);
    return;
  }
  const auto leaf = static_cast<uint32_t>(registers[REG_RAX]), subleaf = static_cast<uint32_t>(registers[REG_RCX]);
  Answer x{};
  allow_cpuid(true);
  asm volatile("cpuid" : "=a"(x.a), "=b"(x.b), "=c"(x.c), "=d"(x.d) : "a"(leaf), "c"(subleaf));
  allow_cpuid(false);
  hide(leaf, subleaf, x);
  registers[REG_RAX] = x.a;
  registers[REG_RBX] = x.b;
  registers[REG_RCX] = x.c;
  registers[REG_RDX] = x.d;
  registers[REG_RIP] += 2;
}

[[gnu::constructor]] void begin() {
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, nullptr);
  if (allow_cpuid(false) == 0) return;
  std::perror("without_avx512: this processor or kernel can't refuse CPUID");
  std::_Exit(1);
}

}  // namespace
