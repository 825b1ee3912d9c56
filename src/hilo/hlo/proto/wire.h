// SPDX-License-Identifier: Apache-2.0
// hlo/proto/wire.h -- the wire format of protocol buffers: reads and writes tagged fields; errors name their byte.
#pragma once

#include <bitset>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::hlo::proto {

/// A varint has seven bits per byte; the eighth marks that another byte follows.
inline constexpr int kVarintBits = 7;
inline constexpr uint8_t kMoreBytes = 0x80;

/// As take_varint, for any length.
bool take_long_varint(std::string_view bytes, size_t& position, uint64_t& value);

/// Reads a varint of at most ten bytes at `position` and advances it; returns false if it is invalid. Most varints have
/// one byte, and most tags of an instruction at most two.
inline bool take_varint(std::string_view bytes, size_t& position, uint64_t& value) {
  const size_t left = bytes.size() - position;
  const auto byte = [&](size_t i) { return uint64_t{static_cast<uint8_t>(bytes[position + i])}; };
  if (left > 0 && byte(0) < kMoreBytes) {
    value = byte(0);
    position += 1;
    return true;
  }
  if (left > 1 && byte(1) < kMoreBytes) {
    value = (byte(0) & (kMoreBytes - 1)) | byte(1) << kVarintBits;
    position += 2;
    return true;
  }
  return take_long_varint(bytes, position, value);
}

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// Appends fields to one message. Values equal to the format's default (0, false, "") are left out, as in proto3.
class WireWriter {
 public:
  void integer(uint32_t number, int64_t value);
  void boolean(uint32_t number, bool value) { integer(number, value ? 1 : 0); }
  void real(uint32_t number, float value);
  void real64(uint32_t number, double value);
  void text(uint32_t number, std::string_view value);
  /// Writes a packed list; nothing for an empty one.
  void integers(uint32_t number, std::span<const int64_t> values);
  /// Writes a message or an item of a repeated field, even if it is empty.
  void bytes(uint32_t number, std::string_view value);
  void message(uint32_t number, const WireWriter& value) { bytes(number, value.out_); }
  /// Writes an integer, even if it is 0: an item of a repeated field or an explicit value.
  void item(uint32_t number, int64_t value);
  /// Writes a varint without tag, for packed lists.
  void raw_varint(uint64_t value);

  bool empty() const { return out_.empty(); }
  const std::string& view() const { return out_; }
  std::string take() && { return std::move(out_); }

 private:
  void tag(uint32_t number, WireType type);
  std::string out_;
};

/// Returns `text` with '?' for every byte that isn't valid UTF-8, because readers reject messages with such strings.
std::string utf8(std::string_view text);

/// One field of a message.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      ///< of kVarint and the fixed types
  std::string_view bytes;  ///< of kBytes; a view of the message
};

/// A set of field numbers; all numbers from 127 on share one bit.
using FieldSet = std::bitset<128>;
inline size_t place_in_set(uint32_t number) { return number < 127 ? number : 127; }

/// Reads the fields of one message in order, without copies.
class WireReader {
 public:
  /// `name` is the message's name, for errors: "HloModuleProto: field 3 at byte 0: ...".
  WireReader(std::string_view message, std::string_view name) : message_(message), name_(name) {}

  bool at_end() const { return position_ >= message_.size(); }
  /// Reads the next field.
  /// Errors    INVALID_ARGUMENT for malformed bytes
  Status next(WireField& field);

 private:
  std::string_view message_;
  std::string_view name_;
  size_t position_ = 0;
};

/// Returns the error for a wire type that the field can't have.
Status wrong_type(std::string_view message, const WireField& field, WireType expected);

/// All fields of one message, for messages whose fields are read more than once.
class WireMessage {
 public:
  /// Reads all fields of a message.
  /// Errors    INVALID_ARGUMENT as WireReader
  static StatusOr<WireMessage> read(std::string_view message, std::string_view name);
  /// Creates a message without fields. assign() can then reuse its memory for several messages of one kind.
  explicit WireMessage(std::string_view name) : name_(name) {}
  /// Replaces the fields by those of `message`.
  Status assign(std::string_view message);

  std::span<const WireField> fields() const { return fields_; }
  /// Returns the numbers of the fields. A fast check, because most requested fields are absent.
  const FieldSet& present() const { return present_; }
  bool has(uint32_t number) const { return find(number) != nullptr; }
  /// Returns the last field of the number, which takes effect if it isn't repeated; null if none exists.
  const WireField* find(uint32_t number) const {
    if (!present_[place_in_set(number)]) return nullptr;
    for (size_t i = fields_.size(); i > 0; --i) {
      if (fields_[i - 1].number == number) return &fields_[i - 1];
    }
    return nullptr;
  }
  /// Returns how many fields have the number.
  size_t count(uint32_t number) const;

  /// Values of fields that aren't repeated; the format's default if they are absent.
  /// Errors    INVALID_ARGUMENT for another wire type
  StatusOr<int64_t> integer(uint32_t number) const {
    const WireField* const field = find(number);
    if (field == nullptr) return int64_t{0};
    if (field->type != WireType::kVarint) return wrong_type(name_, *field, WireType::kVarint);
    return static_cast<int64_t>(field->value);
  }
  StatusOr<bool> boolean(uint32_t number) const;
  StatusOr<float> real(uint32_t number) const;
  StatusOr<double> real64(uint32_t number) const;
  StatusOr<std::string_view> text(uint32_t number) const {
    const WireField* const field = find(number);
    if (field == nullptr) return std::string_view();
    if (field->type != WireType::kBytes) return wrong_type(name_, *field, WireType::kBytes);
    return field->bytes;
  }
  /// Returns a nested message, merged from all its occurrences. `name` must outlive the result.
  StatusOr<WireMessage> message(uint32_t number, std::string_view name) const;
  /// As message(), but replaces the contents of `result` and reuses its memory.
  Status read_message(uint32_t number, std::string_view name, WireMessage& result) const;
  /// Returns a repeated integer, packed or not.
  StatusOr<std::vector<int64_t>> integers(uint32_t number) const;
  /// As integers(), but replaces the contents of `values`.
  Status read_integers(uint32_t number, std::vector<int64_t>& values) const {
    values.clear();
    return present_[place_in_set(number)] ? append_integers(number, values) : ok_status();
  }
  /// Returns the items of a repeated message or string.
  StatusOr<std::vector<std::string_view>> items(uint32_t number) const;
  /// Calls read_one(const WireMessage&), which returns a Status, for each item of a repeated message.
  template <typename ReadOne>
  Status for_each_message(uint32_t number, std::string_view name, const ReadOne& read_one) const {
    if (!present_[place_in_set(number)]) return ok_status();
    WireMessage item(name);
    for (const WireField& field : fields_) {
      if (field.number != number) continue;
      if (field.type != WireType::kBytes) return wrong_type(name_, field, WireType::kBytes);
      HILO_RETURN_IF_ERROR(item.assign(field.bytes));
      HILO_RETURN_IF_ERROR(read_one(item));
    }
    return ok_status();
  }

  std::string_view name() const { return name_; }

 private:
  /// Appends the fields of `message`.
  Status append(std::string_view message);
  Status append_integers(uint32_t number, std::vector<int64_t>& values) const;
  std::string_view name_;
  boost::container::small_vector<WireField, 4> fields_;  // as many as most nested messages of an instruction have
  FieldSet present_;
};

}  // namespace hilo::hlo::proto
