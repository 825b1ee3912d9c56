// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace hilo::hlo::proto {
namespace {

constexpr int kVarintBits = 7;
constexpr uint8_t kMore = 0x80;
constexpr uint64_t kLargestFieldNumber = (uint64_t{1} << 29) - 1;

std::string_view wire_type_name(WireType type) {
  switch (type) {
    case WireType::kVarint: return "varint";
    case WireType::kFixed64: return "fixed64";
    case WireType::kBytes: return "length-delimited";
    case WireType::kFixed32: return "fixed32";
  }
  return "unknown";
}

/// Reads a varint of at most ten bytes from `position` on and passes it; false if there is none. Most are one byte.
inline bool take_varint(std::string_view bytes, size_t& position, uint64_t& value) {
  constexpr int kMostBits = 10 * kVarintBits;
  value = 0;
  for (int shift = 0; position < bytes.size() && shift < kMostBits; shift += kVarintBits) {
    const auto byte = static_cast<uint8_t>(bytes[position++]);
    value |= static_cast<uint64_t>(byte & (kMore - 1)) << shift;
    if (byte < kMore) return true;
  }
  return false;
}

}  // namespace

void WireWriter::raw_varint(uint64_t value) {
  for (; value >= kMore; value >>= kVarintBits) out_ += static_cast<char>(static_cast<uint8_t>(value) | kMore);
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

/// How many bytes the UTF-8 character at the front takes; 0 if there is none.
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

Status WireReader::error(size_t at, uint32_t number, const std::string& problem) const {
  return invalid_argument(number == 0 ? fmt::format("{}: byte {}: {}", name_, at, problem)
                                      : fmt::format("{}: field {} at byte {}: {}", name_, number, at, problem));
}

bool WireReader::read_varint(uint64_t& value) { return take_varint(message_, position_, value); }

bool WireReader::read_fixed(size_t size, uint64_t& value) {
  if (message_.size() - position_ < size) return false;
  std::memcpy(&value, message_.data() + position_, size);  // little endian, as the wire
  position_ += size;
  return true;
}

Status WireReader::next(WireField& field) {
  const size_t begin = position_;
  uint64_t tag = 0;
  if (!read_varint(tag)) return error(begin, 0, "no tag of a field");
  const uint64_t number = tag >> 3;
  if (number == 0 || number > kLargestFieldNumber) return error(begin, 0, fmt::format("{} is no field number", number));
  field = WireField();
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireType>(tag & 7);
  bool ok = false;
  switch (field.type) {
    case WireType::kVarint: ok = read_varint(field.value); break;
    case WireType::kFixed64: ok = read_fixed(sizeof(uint64_t), field.value); break;
    case WireType::kFixed32: ok = read_fixed(sizeof(uint32_t), field.value); break;
    case WireType::kBytes: {
      uint64_t length = 0;
      if (!read_varint(length)) break;
      const size_t present = message_.size() - position_;
      if (length > present) {
        return error(begin, field.number, fmt::format("length {} exceeds the {} bytes present", length, present));
      }
      field.bytes = message_.substr(position_, static_cast<size_t>(length));
      position_ += static_cast<size_t>(length);
      return ok_status();
    }
    default: return error(begin, field.number, fmt::format("wire type {} is unknown", tag & 7));
  }
  if (!ok) return error(begin, field.number, fmt::format("the {} is cut off", wire_type_name(field.type)));
  return ok_status();
}

Status wrong_type(std::string_view message, const WireField& field, WireType wanted) {
  return invalid_argument(fmt::format("{}: field {}: got wire type {}; wanted {}", message, field.number,
                                      wire_type_name(field.type), wire_type_name(wanted)));
}

StatusOr<WireMessage> WireMessage::read(std::string_view message, std::string_view name) {
  WireMessage result(name);
  HILO_RETURN_IF_ERROR(result.append(message));
  return result;
}

Status WireMessage::append(std::string_view message) {
  constexpr size_t kUsual = 16;  // fields of an instruction: one allocation for most. A field takes two bytes or more
  if (fields_.empty()) fields_.reserve(std::min(message.size() / 2, kUsual));
  WireReader reader(message, name_);
  while (!reader.at_end()) {
    WireField& field = fields_.emplace_back();
    HILO_RETURN_IF_ERROR(reader.next(field));
    present_.set(place_in_set(field.number));
  }
  return ok_status();
}

Status WireMessage::assign(std::string_view message) {
  fields_.clear();
  present_.reset();
  return append(message);
}

const WireField* WireMessage::find(uint32_t number) const {
  if (!present_[place_in_set(number)]) return nullptr;
  for (size_t i = fields_.size(); i > 0; --i) {
    if (fields_[i - 1].number == number) return &fields_[i - 1];
  }
  return nullptr;
}

StatusOr<int64_t> WireMessage::integer(uint32_t number) const {
  const WireField* const field = find(number);
  if (field == nullptr) return int64_t{0};
  if (field->type != WireType::kVarint) return wrong_type(name_, *field, WireType::kVarint);
  return static_cast<int64_t>(field->value);
}

StatusOr<bool> WireMessage::boolean(uint32_t number) const {
  HILO_ASSIGN_OR_RETURN(const int64_t value, integer(number));
  return value != 0;
}

StatusOr<float> WireMessage::real(uint32_t number) const {
  const WireField* const field = find(number);
  if (field == nullptr) return 0.0f;
  if (field->type != WireType::kFixed32) return wrong_type(name_, *field, WireType::kFixed32);
  return std::bit_cast<float>(static_cast<uint32_t>(field->value));
}

StatusOr<double> WireMessage::real64(uint32_t number) const {
  const WireField* const field = find(number);
  if (field == nullptr) return 0.0;
  if (field->type != WireType::kFixed64) return wrong_type(name_, *field, WireType::kFixed64);
  return std::bit_cast<double>(field->value);
}

StatusOr<std::string_view> WireMessage::text(uint32_t number) const {
  const WireField* const field = find(number);
  if (field == nullptr) return std::string_view();
  if (field->type != WireType::kBytes) return wrong_type(name_, *field, WireType::kBytes);
  return field->bytes;
}

StatusOr<WireMessage> WireMessage::message(uint32_t number, std::string_view name) const {
  WireMessage result(name);
  for (const WireField& field : fields_) {
    if (field.number != number) continue;
    if (field.type != WireType::kBytes) return wrong_type(name_, field, WireType::kBytes);
    HILO_RETURN_IF_ERROR(result.append(field.bytes));
  }
  return result;
}

StatusOr<std::vector<int64_t>> WireMessage::integers(uint32_t number) const {
  std::vector<int64_t> values;
  HILO_RETURN_IF_ERROR(read_integers(number, values));
  return values;
}

Status WireMessage::read_integers(uint32_t number, std::vector<int64_t>& values) const {
  values.clear();
  if (!present_[place_in_set(number)]) return ok_status();
  for (const WireField& field : fields_) {
    if (field.number == number) HILO_RETURN_IF_ERROR(append_integers(name_, field, values));
  }
  return ok_status();
}

StatusOr<std::vector<std::string_view>> WireMessage::items(uint32_t number) const {
  std::vector<std::string_view> items;
  for (const WireField& field : fields_) {
    if (field.number != number) continue;
    if (field.type != WireType::kBytes) return wrong_type(name_, field, WireType::kBytes);
    items.push_back(field.bytes);
  }
  return items;
}

Status append_integers(std::string_view message, const WireField& field, std::vector<int64_t>& values) {
  if (field.type == WireType::kVarint) {
    values.push_back(static_cast<int64_t>(field.value));
    return ok_status();
  }
  if (field.type != WireType::kBytes) return wrong_type(message, field, WireType::kVarint);
  for (size_t position = 0; position < field.bytes.size();) {
    uint64_t value = 0;
    if (!take_varint(field.bytes, position, value)) {
      return invalid_argument(
          fmt::format("{}: field {}: item {} of the packed list is cut off", message, field.number, values.size()));
    }
    values.push_back(static_cast<int64_t>(value));
  }
  return ok_status();
}

}  // namespace hilo::hlo::proto
