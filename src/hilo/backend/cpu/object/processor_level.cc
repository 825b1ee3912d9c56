// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/processor_level.h"

namespace hilo::cpu {
namespace {

// Machine code, because LLVM has no intrinsic for cpuid, and its parser of inline assembly would add a megabyte to the
// code generator. It is the code of
//
//   int level(void) {
//     if ((cpuid(1, 0).ecx & 0x38001000) != 0x38001000) return 2;  // FMA, XSAVE in use, AVX, F16C
//     uint32_t saved = xgetbv(0);
//     if ((saved & 6) != 6) return 2;                              // the system saves the registers of AVX
//     uint32_t b = cpuid(7, 0).ebx;
//     if ((b & 0x120) != 0x120) return 2;                          // AVX2, BMI2
//     if ((b & 0xd0030000) != 0xd0030000) return 3;                // AVX-512 F, DQ, CD, BW, VL
//     return (saved & 0xe0) == 0xe0 ? 4 : 3;                       // the system saves the registers of AVX-512
//   }
constexpr std::string_view kCode(
    "\x31\xf6\x53\xb8\x01\x00\x00\x00\x89\xf1\x0f\xa2\x81\xe1\x00\x10"
    "\x00\x38\xbf\x02\x00\x00\x00\x81\xf9\x00\x10\x00\x38\x75\x4f\x89"
    "\xf1\x0f\x01\xd0\x41\x89\xc0\x83\xe0\x06\x83\xf8\x06\x75\x3f\xb8"
    "\x07\x00\x00\x00\x0f\xa2\x89\xd8\x25\x20\x01\x00\x00\x3d\x20\x01"
    "\x00\x00\x75\x2a\x81\xe3\x00\x00\x03\xd0\xbf\x03\x00\x00\x00\x81"
    "\xfb\x00\x00\x03\xd0\x75\x17\x41\x81\xe0\xe0\x00\x00\x00\x31\xff"
    "\x41\x81\xf8\xe0\x00\x00\x00\x40\x0f\x94\xc7\x83\xc7\x03\x89\xf8"
    "\x5b\xc3",
    114);

}  // namespace

RawFunction processor_level() { return {"hilo_processor_level", kCode, 16}; }

}  // namespace hilo::cpu
