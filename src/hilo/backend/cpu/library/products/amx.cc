// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/amx.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace hilo::cpu {
namespace {

// Intel's manual, volume 1, chapter 18: CPUID.7.0:EDX, CPUID.1:ECX, and the parts of the state in XCR0.
constexpr uint32_t kAmxBf16 = 1u << 22, kAmxTile = 1u << 24, kAmxInt8 = 1u << 25, kAmx = kAmxBf16 | kAmxTile | kAmxInt8;
constexpr uint32_t kOsXsave = 1u << 27;
constexpr uint32_t kTileConfiguration = 1u << 17, kTileData = 1u << 18, kTileState = kTileConfiguration | kTileData;

constexpr long kRequestPermission = 0x1023, kTileDataNumber = 18;  // ARCH_REQ_XCOMP_PERM of <asm/prctl.h>

bool processor_has_it() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsXsave) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAmx) != kAmx) return false;
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileState) == kTileState;
}

}  // namespace

bool has_amx() {
  static const bool has = processor_has_it() && syscall(SYS_arch_prctl, kRequestPermission, kTileDataNumber) == 0;
  return has;
}

}  // namespace hilo::cpu
