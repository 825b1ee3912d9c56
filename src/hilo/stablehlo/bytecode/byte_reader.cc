// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/bytecode/byte_reader.h"

#include <fmt/format.h>

#include <bit>

namespace hilo::stablehlo {

void ByteReader::fail(StatusCode code, const std::string& message) {
  if (failed_) return;
  failed_ = true;
  status_ = Status(code, fmt::format("{}: byte {}: {}", source_, position_, message));
}

void ByteReader::take_failure(const ByteReader& part) {
  if (failed_ || !part.failed_) return;
  failed_ = true;
  status_ = part.status_;
}

uint8_t ByteReader::no_byte() {
  fail("the data end here; wanted more bytes");
  return 0;
}

uint64_t ByteReader::long_number(uint8_t first) {
  const int extra = first == 0 ? 8 : std::countr_zero(first);
  if (failed_) return 0;
  if (remaining() < static_cast<size_t>(extra)) {
    fail("the data end inside a number");
    return 0;
  }
  uint64_t value = 0;
  for (int i = extra; i-- > 0;) value = value << 8 | static_cast<uint8_t>(data_[position_ + static_cast<size_t>(i)]);
  position_ += extra;
  if (extra == 8) return value;
  return value << (7 - extra) | static_cast<uint64_t>(first >> (extra + 1));
}

int64_t ByteReader::signed_number() {
  const uint64_t value = number();
  return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1)));
}

size_t ByteReader::count(size_t bytes_each) {
  const uint64_t value = number();
  if (!failed_ && value > remaining() / bytes_each) {
    fail(fmt::format("a list of {} elements exceeds the remaining {} bytes", value, remaining()));
    return 0;
  }
  return failed_ ? 0 : static_cast<size_t>(value);
}

uint32_t ByteReader::no_index(uint64_t value, size_t limit, std::string_view what) {
  if (!failed_) fail(fmt::format("{} {} of {}", what, value, limit));
  return 0;
}

std::vector<int64_t> ByteReader::signed_numbers() {
  std::vector<int64_t> values(count());
  for (int64_t& value : values) value = signed_number();
  return values;
}

std::string_view ByteReader::bytes(size_t size) {
  if (failed_) return {};
  if (remaining() < size) {
    fail(fmt::format("the data end here; wanted {} bytes more", size));
    return {};
  }
  position_ += size;
  return data_.substr(position_ - size, size);
}

std::string_view ByteReader::text_to_nul() {
  if (failed_) return {};
  const size_t nul = data_.find('\0', position_);
  if (nul == std::string_view::npos || nul >= end_) {
    fail("a text is not terminated");
    return {};
  }
  const std::string_view text = data_.substr(position_, nul - position_);
  position_ = nul + 1;
  return text;
}

ByteReader ByteReader::section(uint8_t& id) {
  id = byte();
  const bool aligned = (id & 0x80) != 0;
  id &= 0x7f;
  const uint64_t size = number();
  if (aligned) {
    const uint64_t alignment = number();
    if (alignment == 0 || !std::has_single_bit(alignment) || alignment > 1 << 20)
      fail(fmt::format("invalid alignment {}", alignment));
    while (!failed_ && position_ % alignment != 0) {
      if (byte() != 0xcb) fail("the padding of a section is damaged");
    }
  }
  if (!failed_ && size > remaining()) fail(fmt::format("a section of {} bytes; {} are left", size, remaining()));
  const size_t begin = position_;
  if (!failed_) position_ += size;
  ByteReader part(data_, source_, begin, failed_ ? begin : position_);
  part.take_failure(*this);
  return part;
}

}  // namespace hilo::stablehlo
