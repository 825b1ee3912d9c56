// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/relocation.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace hilo::cpu {
namespace {

// Words as `llvm-mc -triple=aarch64 -show-encoding` writes them.
constexpr uint32_t kAdrp = 0x90000000;        // adrp x0, .
constexpr uint32_t kAdr = 0x10000000;         // adr x0, .
constexpr uint32_t kAdd = 0x91000000;         // add x0, x0, #0
constexpr uint32_t kLoad64 = 0xf9400000;      // ldr x0, [x0]
constexpr uint32_t kLoad128 = 0x3dc00000;     // ldr q0, [x0]
constexpr uint32_t kCall = 0x94000000;        // bl .
constexpr uint32_t kBranch = 0x54000000;      // b.eq .
constexpr uint32_t kTestBranch = 0x36000000;  // tbz w0, #0, .
constexpr uint64_t kHere = 0x7f0000401008;

template <typename T>
T relocated(uint16_t machine, uint32_t kind, T code, const RelocationTarget& target) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &code, sizeof(T));
  const Status status = relocate(machine, kind, target, bytes, kHere);
  EXPECT_TRUE(status.ok()) << status.to_string();
  std::memcpy(&code, bytes.data(), sizeof(T));
  return code;
}
uint32_t arm(uint32_t kind, uint32_t code, const RelocationTarget& target) {
  return relocated(EM_AARCH64, kind, code, target);
}
std::string error_of(uint16_t machine, uint32_t kind, const RelocationTarget& target, size_t bytes = 8) {
  std::array<std::byte, 8> code{};
  return std::string(relocate(machine, kind, target, std::span(code).first(bytes), kHere).message());
}

TEST(Relocation, OfAArch64PatchesPagesAndOffsets) {
  const RelocationTarget after{.symbol = kHere + 0x3ff8, .addend = 0x10};       // ...405010: four pages further
  EXPECT_EQ(arm(R_AARCH64_ADR_PREL_PG_HI21, kAdrp, after), 0x90000020u);        // adrp x0, 4 pages
  EXPECT_EQ(arm(R_AARCH64_ADD_ABS_LO12_NC, kAdd, after), 0x91004000u);          // add x0, x0, #16
  EXPECT_EQ(arm(R_AARCH64_LDST64_ABS_LO12_NC, kLoad64, after), 0xf9400800u);    // ldr x0, [x0, #16]
  EXPECT_EQ(arm(R_AARCH64_LDST128_ABS_LO12_NC, kLoad128, after), 0x3dc00400u);  // ldr q0, [x0, #16]
  const RelocationTarget before{.symbol = kHere - 0x2000};
  EXPECT_EQ(arm(R_AARCH64_ADR_PREL_PG_HI21, kAdrp, before), 0xd0ffffe0u);  // adrp x0, -2 pages
}

TEST(Relocation, OfAArch64PatchesBranches) {
  const RelocationTarget after{.symbol = kHere, .slot = kHere + 0x100, .addend = 8}, before{.symbol = kHere - 8};
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, after), 0x94000002u);
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, before), 0x97fffffeu);
  EXPECT_EQ(arm(R_AARCH64_CONDBR19, kBranch, before), 0x54ffffc0u);
  EXPECT_EQ(arm(R_AARCH64_TSTBR14, kTestBranch, before), 0x3607ffc0u);
  EXPECT_EQ(arm(R_AARCH64_ADR_PREL_LO21, kAdr, {.symbol = kHere + 5}), 0x30000020u);
}

TEST(Relocation, OfFarSymbolsGoesThroughTheSlot) {
  const RelocationTarget far{.symbol = 0x123456789abc, .slot = kHere + 0x1000, .is_far = true};
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, far), 0x94000402u);  // 0x1008 bytes further: the jump of the slot
  EXPECT_EQ(arm(R_AARCH64_ADR_GOT_PAGE, kAdrp, far), 0xb0000000u);
  EXPECT_EQ(arm(R_AARCH64_LD64_GOT_LO12_NC, kLoad64, far), 0xf9400400u);
  EXPECT_EQ(relocated<uint32_t>(EM_X86_64, R_X86_64_PLT32, 0,
                                {.symbol = far.symbol, .slot = far.slot, .is_far = true, .addend = -4}),
            0x1004u);
  EXPECT_EQ(relocated<uint64_t>(EM_X86_64, R_X86_64_64, 0, far), far.symbol);
  EXPECT_EQ(relocated<uint64_t>(EM_AARCH64, R_AARCH64_ABS64, 0, far), far.symbol);
}

TEST(Relocation, SlotsHoldTheAddressAndAJump) {
  std::array<std::byte, kSlotBytes> slot{};
  write_slot(EM_AARCH64, 0x1122334455667788, slot.data());
  uint64_t address = 0;
  std::memcpy(&address, slot.data(), sizeof(address));
  EXPECT_EQ(address, 0x1122334455667788u);
  std::array<uint32_t, 2> jump{};
  std::memcpy(jump.data(), slot.data() + kJumpOffset, sizeof(jump));
  EXPECT_EQ(jump[0], 0x58ffffd0u);  // ldr x16, .-8
  EXPECT_EQ(jump[1], 0xd61f0200u);  // br x16
}

TEST(Relocation, RefusesWhatItCannotReachAndUnknownKinds) {
  const RelocationTarget far{.symbol = kHere + (uint64_t{1} << 40)};
  for (const uint32_t kind : {R_AARCH64_CALL26, R_AARCH64_ADR_PREL_PG_HI21, R_AARCH64_CONDBR19, R_AARCH64_PREL32})
    EXPECT_NE(error_of(EM_AARCH64, kind, far).find("out of reach"), std::string::npos) << kind;
  EXPECT_NE(error_of(EM_X86_64, R_X86_64_PC32, far).find("out of reach"), std::string::npos);
  EXPECT_NE(error_of(EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, {.symbol = 4}).find("aligned"), std::string::npos);
  EXPECT_NE(error_of(EM_AARCH64, R_AARCH64_CALL26, {.symbol = kHere + 2}).find("out of reach"), std::string::npos);
  EXPECT_NE(error_of(EM_AARCH64, 1, far).find("kind 1 is not supported"), std::string::npos);
  EXPECT_NE(error_of(EM_X86_64, 255, far).find("kind 255 is not supported"), std::string::npos);
  for (const uint32_t kind : {R_AARCH64_ABS64, R_AARCH64_CALL26})
    EXPECT_NE(error_of(EM_AARCH64, kind, {.symbol = kHere}, 3).find("outside of its section"), std::string::npos);
}

}  // namespace
}  // namespace hilo::cpu
