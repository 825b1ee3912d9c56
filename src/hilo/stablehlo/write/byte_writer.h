// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/byte_writer.h -- writes numbers of MLIR bytecode, the inverse of byte_reader.h.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hilo::stablehlo {

/// Appends to one string.
class ByteWriter {
 public:
  void byte(uint64_t value) { out_ += static_cast<char>(value); }

  /// Appends a varint. Its first byte ends in as many zero bits as bytes follow.
  void number(uint64_t value) {
    const int bits = value == 0 ? 1 : 64 - std::countl_zero(value);
    int size = (bits + 6) / 7;
    if (size > 8) {
      byte(0);
      size = 8;
    } else {
      value = (value << 1 | 1) << (size - 1);
    }
    for (int i = 0; i < size; ++i) byte(value >> (8 * i) & 0xff);
  }

  /// Appends a varint with the sign in its lowest bit.
  void signed_number(int64_t value) { number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63)); }

  void signed_numbers(std::span<const int64_t> values) {
    number(values.size());
    for (int64_t value : values) signed_number(value);
  }

  void bytes(std::string_view data) { out_ += data; }

  /// Appends a length and the bytes.
  void blob(std::string_view data) {
    number(data.size());
    bytes(data);
  }

  /// Appends an id, a length, and the bytes.
  void section(uint8_t id, std::string_view data) {
    byte(id);
    blob(data);
  }

  const std::string& data() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace hilo::stablehlo
