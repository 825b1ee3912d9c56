// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/byte_reader.h -- reads numbers of MLIR bytecode in sequence, with errors that name the byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::stablehlo {

/// Reads forward through a range of bytes. After the first error all reads return 0, and status() reports its position.
class ByteReader {
 public:
  ByteReader() = default;
  ByteReader(std::string_view data, std::string_view source, size_t begin, size_t end)
      : data_(data), source_(source), position_(begin), end_(end) {}

  uint8_t byte() { return position_ < end_ && !failed_ ? static_cast<uint8_t>(data_[position_++]) : no_byte(); }
  /// Reads a varint: the number of trailing zero bits of the first byte is the number of bytes that follow.
  uint64_t number() {
    const uint8_t first = byte();
    return (first & 1) != 0 ? first >> 1 : long_number(first);
  }
  /// Reads a varint with the sign in its lowest bit.
  int64_t signed_number();
  /// Reads the length of a list whose elements have at least `bytes_each` bytes. The length is limited by the remaining
  /// bytes.
  size_t count(size_t bytes_each = 1);
  /// Reads a number below `limit`, an index into `what`.
  uint32_t index(size_t limit, std::string_view what) {
    const uint64_t value = number();
    return value < limit && !failed_ ? static_cast<uint32_t>(value) : no_index(value, limit, what);
  }
  std::vector<int64_t> signed_numbers();
  std::string_view bytes(size_t size);
  /// Reads text up to a NUL and skips the NUL.
  std::string_view text_to_nul();
  /// Reads a section: id, length, alignment padding, data.
  ByteReader section(uint8_t& id);

  bool at_end() const { return !failed() && position_ >= end_; }
  size_t position() const { return position_; }
  size_t remaining() const { return end_ - position_; }
  bool failed() const { return failed_; }
  void fail(StatusCode code, const std::string& message);
  void fail(const std::string& message) { fail(StatusCode::kInvalidArgument, message); }
  /// Copies the error of a reader of some of these bytes.
  void take_failure(const ByteReader& part);
  const Status& status() const { return status_; }

 private:
  uint8_t no_byte();
  uint64_t long_number(uint8_t first);
  uint32_t no_index(uint64_t value, size_t limit, std::string_view what);
  std::string_view data_, source_;
  size_t position_ = 0, end_ = 0;
  bool failed_ = false;
  Status status_;
};

}  // namespace hilo::stablehlo
