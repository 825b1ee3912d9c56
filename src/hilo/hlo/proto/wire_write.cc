// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {
void WireWriter::raw_varint(uint64_t value) {
  for (; value >= kMoreBytes; value >>= kVarintBits)
    out_ += static_cast<char>(static_cast<uint8_t>(value) | kMoreBytes);
  out_ += static_cast<char>(value);
}

void WireWriter::tag(uint32_t number, WireType type) { raw_varint(number << 3 | static_cast<uint32_t>(type)); }

void WireWriter::integer(uint32_t number, int64_t value) {
  if (value != 0) item(number, value);
}

void WireWriter::item(uint32_t number, int64_t value) {
  tag(number, WireType::kVarint);
  raw_varint(static_cast<uint64_t>(value));
}

void WireWriter::real(uint32_t number, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (bits == 0) return;
  tag(number, WireType::kFixed32);
  out_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
}

void WireWriter::real64(uint32_t number, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  if (bits == 0) return;
  tag(number, WireType::kFixed64);
  out_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
}

void WireWriter::text(uint32_t number, std::string_view value) {
  if (!value.empty()) bytes(number, value);
}

void WireWriter::bytes(uint32_t number, std::string_view value) {
  tag(number, WireType::kBytes);
  raw_varint(value.size());
  out_ += value;
}

void WireWriter::integers(uint32_t number, std::span<const int64_t> values) {
  if (values.empty()) return;
  WireWriter packed;
  for (int64_t value : values) packed.raw_varint(static_cast<uint64_t>(value));
  message(number, packed);
}

namespace {

/// Returns the number of bytes of the UTF-8 character at the front; 0 if it is invalid.
size_t character_size(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  return overlong || surrogate || (first == 0xf4 && byte(1) >= 0x90) ? 0 : size;
}

}  // namespace

std::string utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t size = character_size(text);
    if (size == 0) out += '?';
    else out += text.substr(0, size);
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return out;
}

}  // namespace hilo::hlo::proto
