// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/relocation.h"

#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <cstring>

namespace hilo::cpu {
namespace {

Status malformed(std::string_view what) { return internal_error(fmt::format("loading compiled code: {}", what)); }
Status unknown_kind(uint32_t kind) { return malformed(fmt::format("relocation kind {} is not supported", kind)); }
Status out_of_reach() { return malformed("a relocation is out of reach"); }

template <typename T>
Status write(T value, std::span<std::byte> where) {
  if (where.size() < sizeof(T)) return malformed("a relocation is outside of its section");
  std::memcpy(where.data(), &value, sizeof(T));
  return ok_status();
}

Status write_32(int64_t distance, std::span<std::byte> where) {
  const auto narrow = static_cast<int32_t>(distance);
  return narrow == distance ? write(narrow, where) : out_of_reach();
}

/// Where a call continues.
uint64_t callee(const RelocationTarget& t) { return t.is_far ? t.slot + kJumpOffset : t.symbol; }

int64_t distance(uint64_t to, int64_t addend, uint64_t here) {
  return static_cast<int64_t>(to + static_cast<uint64_t>(addend) - here);
}

Status relocate_x86(uint32_t kind, const RelocationTarget& t, std::span<std::byte> where, uint64_t here) {
  switch (kind) {
    case R_X86_64_64: return write(t.symbol + static_cast<uint64_t>(t.addend), where);
    case R_X86_64_PC64: return write(distance(t.symbol, t.addend, here), where);
    case R_X86_64_PLT32:
    case R_X86_64_PC32: return write_32(distance(callee(t), t.addend, here), where);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: return write_32(distance(t.slot, t.addend, here), where);
    default: return unknown_kind(kind);  // a number of the ELF standard, not an enum of ours
  }
}

/// Replaces `bits` bits of an instruction, from bit `first` on.
Status patch(uint64_t value, unsigned first, unsigned bits, std::span<std::byte> where) {
  uint32_t code = 0;
  if (where.size() < sizeof(code)) return malformed("a relocation is outside of its section");
  std::memcpy(&code, where.data(), sizeof(code));
  const uint32_t mask = ((1u << bits) - 1) << first;
  code = (code & ~mask) | ((static_cast<uint32_t>(value) << first) & mask);
  return write(code, where);
}

/// Replaces a signed distance in words.
Status patch_words(int64_t distance, unsigned first, unsigned bits, std::span<std::byte> where) {
  const int64_t reach = int64_t{1} << (bits + 1);
  if (distance % 4 != 0 || distance < -reach || distance >= reach) return out_of_reach();
  return patch(static_cast<uint64_t>(distance / 4), first, bits, where);
}

/// adr and adrp: 21 bits in two parts.
Status patch_adr(int64_t value, std::span<std::byte> where) {
  constexpr int64_t kReach = int64_t{1} << 20;
  if (value < -kReach || value >= kReach) return out_of_reach();
  HILO_RETURN_IF_ERROR(patch(static_cast<uint64_t>(value) & 3, 29, 2, where));
  return patch(static_cast<uint64_t>(value >> 2), 5, 19, where);
}

/// The distance of two addresses in pages of 4096 bytes.
int64_t pages(uint64_t to, uint64_t here) { return static_cast<int64_t>((to & ~0xfffull) - (here & ~0xfffull)) / 4096; }

/// The low 12 bits of an address, in units of 1 << log2 bytes.
Status patch_low(uint64_t to, unsigned log2, std::span<std::byte> where) {
  const uint64_t low = to & 0xfff;
  if (low % (1u << log2) != 0) return malformed("a relocation isn't aligned");
  return patch(low >> log2, 10, 12, where);
}

Status relocate_arm(uint32_t kind, const RelocationTarget& t, std::span<std::byte> where, uint64_t here) {
  const uint64_t address = t.symbol + static_cast<uint64_t>(t.addend);
  const int64_t near = distance(t.symbol, t.addend, here);
  switch (kind) {
    case R_AARCH64_NONE: return ok_status();
    case R_AARCH64_ABS64: return write(address, where);
    case R_AARCH64_PREL64: return write(near, where);
    case R_AARCH64_PREL32: return write_32(near, where);
    case R_AARCH64_ADR_PREL_LO21: return patch_adr(near, where);
    case R_AARCH64_ADR_PREL_PG_HI21: return patch_adr(pages(address, here), where);
    case R_AARCH64_ADR_GOT_PAGE: return patch_adr(pages(t.slot, here), where);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: return patch_low(address, 0, where);
    case R_AARCH64_LDST16_ABS_LO12_NC: return patch_low(address, 1, where);
    case R_AARCH64_LDST32_ABS_LO12_NC: return patch_low(address, 2, where);
    case R_AARCH64_LDST64_ABS_LO12_NC: return patch_low(address, 3, where);
    case R_AARCH64_LDST128_ABS_LO12_NC: return patch_low(address, 4, where);
    case R_AARCH64_LD64_GOT_LO12_NC: return patch_low(t.slot, 3, where);
    case R_AARCH64_LD_PREL_LO19:
    case R_AARCH64_CONDBR19: return patch_words(near, 5, 19, where);
    case R_AARCH64_TSTBR14: return patch_words(near, 5, 14, where);
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26: return patch_words(distance(callee(t), t.addend, here), 0, 26, where);
    default: return unknown_kind(kind);
  }
}

}  // namespace

void write_slot(uint16_t machine, uint64_t symbol, std::byte* to) {
  constexpr std::array<unsigned char, 8> kX86 = {0xff, 0x25, 0xf2, 0xff, 0xff, 0xff};  // jmp *-14(%rip)
  constexpr std::array<uint32_t, 2> kArm = {0x58ffffd0, 0xd61f0200};                   // ldr x16, .-8; br x16
  std::memcpy(to, &symbol, sizeof(symbol));
  if (machine == EM_AARCH64) std::memcpy(to + kJumpOffset, kArm.data(), sizeof(kArm));
  else std::memcpy(to + kJumpOffset, kX86.data(), sizeof(kX86));
}

Status relocate(uint16_t machine, uint32_t kind, const RelocationTarget& target, std::span<std::byte> where,
                uint64_t here) {
  return machine == EM_AARCH64 ? relocate_arm(kind, target, where, here) : relocate_x86(kind, target, where, here);
}

}  // namespace hilo::cpu
