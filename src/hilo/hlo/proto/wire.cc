// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace hilo::hlo::proto {
namespace {

constexpr uint64_t kMaxFieldNumber = (uint64_t{1} << 29) - 1;

std::string_view wire_type_name(WireType type) {
  switch (type) {
    case WireType::kVarint: return "varint";
    case WireType::kFixed64: return "fixed64";
    case WireType::kBytes: return "length-delimited";
    case WireType::kFixed32: return "fixed32";
  }
  return "unknown";
}

/// Appends all varints of a packed list; returns false if the last one is truncated.
bool take_varints(std::string_view bytes, std::vector<int64_t>& values) {
  constexpr size_t kInlineCapacity = 4;  // items that need only one allocation
  if (values.capacity() == 0) values.reserve(std::min(bytes.size(), kInlineCapacity));
  for (size_t position = 0; position < bytes.size();) {
    uint64_t bits = 0;
    if (!take_varint(bytes, position, bits)) return false;
    values.push_back(bits);
  }
  return true;
}

/// Why bytes aren't a valid field.
enum class Problem : uint8_t { kNone, kNoTag, kNoNumber, kTooLong, kUnknownType, kCutOff };

bool take_fixed(std::string_view bytes, size_t& position, size_t size, uint64_t& value) {
  if (bytes.size() - position < size) return false;
  value = 0;
  std::memcpy(&value, bytes.data() + position, size);  // little endian, as in the message
  position += size;
  return true;
}

/// Reads the field at `position` and advances it. `field` must be new. If a length is too long, it is stored in the
/// value for the error. This function creates no text, because it runs for every field.
[[gnu::always_inline]] inline Problem take_field(std::string_view message, size_t& position, WireField& field) {
  uint64_t tag = 0;
  if (!take_varint(message, position, tag)) return Problem::kNoTag;
  const uint64_t number = tag >> 3;
  field.value = number;
  if (number == 0 || number > kMaxFieldNumber) return Problem::kNoNumber;
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireType>(tag & 7);
  const auto cut_off_unless = [](bool ok) { return ok ? Problem::kNone : Problem::kCutOff; };
  switch (field.type) {
    case WireType::kVarint: return cut_off_unless(take_varint(message, position, field.value));
    case WireType::kFixed64: return cut_off_unless(take_fixed(message, position, sizeof(uint64_t), field.value));
    case WireType::kFixed32: return cut_off_unless(take_fixed(message, position, sizeof(uint32_t), field.value));
    case WireType::kBytes: break;
    default: return Problem::kUnknownType;
  }
  if (!take_varint(message, position, field.value)) return Problem::kCutOff;
  if (field.value > message.size() - position) return Problem::kTooLong;
  field.bytes = std::string_view(message.data() + position, static_cast<size_t>(field.value));
  field.value = 0;
  position += field.bytes.size();
  return Problem::kNone;
}

/// Returns the error for a field that begins at byte `begin` and was read up to `position`.
Status error_of(Problem problem, std::string_view name, size_t begin, size_t present, const WireField& field) {
  const auto in_field = [&](const std::string& what) {
    return invalid_argument(fmt::format("{}: field {} at byte {}: {}", name, field.number, begin, what));
  };
  switch (problem) {
    case Problem::kNone: return ok_status();
    case Problem::kNoTag: return invalid_argument(fmt::format("{}: byte {}: not a field tag", name, begin));
    case Problem::kNoNumber:
      return invalid_argument(fmt::format("{}: byte {}: {} is not a field number", name, begin, field.value));
    case Problem::kTooLong:
      return in_field(fmt::format("length {} exceeds the {} bytes present", field.value, present));
    case Problem::kUnknownType: return in_field(fmt::format("wire type {} is unknown", static_cast<int>(field.type)));
    case Problem::kCutOff: return in_field(fmt::format("the {} is truncated", wire_type_name(field.type)));
  }
  __builtin_unreachable();
}

}  // namespace

bool take_long_varint(std::string_view bytes, size_t& position, uint64_t& value) {
  constexpr int kMaxBits = 10 * kVarintBits;
  value = 0;
  for (int shift = 0; position < bytes.size() && shift < kMaxBits; shift += kVarintBits) {
    const auto byte = static_cast<uint8_t>(bytes[position++]);
    value |= static_cast<uint64_t>(byte & (kMoreBytes - 1)) << shift;
    if (byte < kMoreBytes) return true;
  }
  return false;
}

Status WireReader::next(WireField& field) {
  const size_t begin = position_;
  field = WireField();
  const Problem problem = take_field(message_, position_, field);
  return problem == Problem::kNone ? ok_status() : error_of(problem, name_, begin, message_.size() - position_, field);
}

Status wrong_type(std::string_view message, const WireField& field, WireType expected) {
  return invalid_argument(fmt::format("{}: field {}: got wire type {}; wanted {}", message, field.number,
                                      wire_type_name(field.type), wire_type_name(expected)));
}

StatusOr<WireMessage> WireMessage::read(std::string_view message, std::string_view name) {
  WireMessage result(name);
  HILO_RETURN_IF_ERROR(result.append(message));
  return result;
}

Status WireMessage::append(std::string_view message) {
  // Capacities that need one allocation in most cases. An instruction has fewer than 16 fields. Instructions, the
  // fields of a computation, take about 64 bytes unless they are constants. Every field takes at least two.
  constexpr size_t kUsualCount = 16, kLargeCount = 8192;
  if (fields_.empty())
    fields_.reserve(std::min(message.size() / 2, std::clamp(message.size() / 64, kUsualCount, kLargeCount)));
  for (size_t position = 0; position < message.size();) {
    const size_t begin = position;
    WireField& field = fields_.emplace_back();
    const Problem problem = take_field(message, position, field);
    if (problem != Problem::kNone) return error_of(problem, name_, begin, message.size() - position, field);
    present_.set(place_in_set(field.number));
  }
  return ok_status();
}

size_t WireMessage::count(uint32_t number) const {
  return static_cast<size_t>(std::ranges::count(fields_, number, &WireField::number));
}

Status WireMessage::assign(std::string_view message) {
  fields_.clear();
  present_.reset();
  return append(message);
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

StatusOr<WireMessage> WireMessage::message(uint32_t number, std::string_view name) const {
  WireMessage result(name);
  HILO_RETURN_IF_ERROR(read_message(number, name, result));
  return result;
}

Status WireMessage::read_message(uint32_t number, std::string_view name, WireMessage& result) const {
  result.name_ = name;
  result.fields_.clear();
  result.present_.reset();
  if (!present_[place_in_set(number)]) return ok_status();
  for (const WireField& field : fields_) {
    if (field.number != number) continue;
    if (field.type != WireType::kBytes) return wrong_type(name_, field, WireType::kBytes);
    HILO_RETURN_IF_ERROR(result.append(field.bytes));
  }
  return ok_status();
}

StatusOr<std::vector<int64_t>> WireMessage::integers(uint32_t number) const {
  std::vector<int64_t> values;
  HILO_RETURN_IF_ERROR(read_integers(number, values));
  return values;
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

Status WireMessage::append_integers(uint32_t number, std::vector<int64_t>& values) const {
  for (const WireField& field : fields_) {
    if (field.number != number) continue;
    if (field.type == WireType::kVarint) {
      values.push_back(field.value);
      continue;
    }
    if (field.type != WireType::kBytes) return wrong_type(name_, field, WireType::kVarint);
    if (!take_varints(field.bytes, values)) {
      return invalid_argument(
          fmt::format("{}: field {}: item {} of the packed list is truncated", name_, number, values.size()));
    }
  }
  return ok_status();
}

}  // namespace hilo::hlo::proto
