// SPDX-License-Identifier: Apache-2.0
// hlo/proto/wire.h -- the wire format of protocol buffers: tagged fields out, tagged fields in, errors with their byte.
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

/// A varint has seven bits a byte; the eighth says that another byte follows.
inline constexpr int kVarintBits = 7;
inline constexpr uint8_t kMoreBytes = 0x80;

/// As take_varint, of any length.
bool take_long_varint(std::string_view bytes, size_t& position, uint64_t& value);

/// Reads a varint of at most ten bytes from `position` on and passes it; false if there is none. Most are one byte, and
/// most tags of an instruction at most two.
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

/// Appends fields to one message. Values that are the format's default (0, false, "") are left out, as proto3 does.
class WireWriter {
 public:
  void integer(uint32_t number, int64_t value);
  void boolean(uint32_t number, bool value) { integer(number, value ? 1 : 0); }
  void real(uint32_t number, float value);
  void real64(uint32_t number, double value);
  void text(uint32_t number, std::string_view value);
  /// A packed list; nothing for an empty one.
  void integers(uint32_t number, std::span<const int64_t> values);
  /// A message or an item of a repeated field, which is there even if it is empty.
  void bytes(uint32_t number, std::string_view value);
  void message(uint32_t number, const WireWriter& value) { bytes(number, value.out_); }
  /// An item of a repeated integer field or one that is there even if it is 0.
  void item(uint32_t number, int64_t value);
  /// A varint without tag, for packed lists.
  void raw_varint(uint64_t value);

  bool empty() const { return out_.empty(); }
  const std::string& view() const { return out_; }
  std::string take() && { return std::move(out_); }

 private:
  void tag(uint32_t number, WireType type);
  std::string out_;
};

/// `text` with '?' for every byte that is no UTF-8: readers refuse a message with a string that isn't.
std::string utf8(std::string_view text);

/// One field as it stands on the wire.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      ///< of kVarint and the fixed ones
  std::string_view bytes;  ///< of kBytes; a view of the message
};

/// Numbers of fields; those from 127 on are one.
using FieldSet = std::bitset<128>;
inline size_t place_in_set(uint32_t number) { return number < 127 ? number : 127; }

/// Reads the fields of one message, in order. Nothing is copied.
class WireReader {
 public:
  /// `name` is the message's, for errors: "HloModuleProto: field 3 at byte 0: ...".
  WireReader(std::string_view message, std::string_view name) : message_(message), name_(name) {}

  bool at_end() const { return position_ >= message_.size(); }
  /// Errors    INVALID_ARGUMENT for bytes that are no field
  Status next(WireField& field);

 private:
  std::string_view message_;
  std::string_view name_;
  size_t position_ = 0;
};

/// A value of a wire type that its field can't have.
Status wrong_type(std::string_view message, const WireField& field, WireType wanted);

/// All fields of one message, for those that are looked at more than once.
class WireMessage {
 public:
  /// Errors    INVALID_ARGUMENT as WireReader
  static StatusOr<WireMessage> read(std::string_view message, std::string_view name);
  /// One without fields, to read messages of one kind with the same memory.
  explicit WireMessage(std::string_view name) : name_(name) {}
  /// The fields of `message` take the place of those there are.
  Status assign(std::string_view message);

  std::span<const WireField> fields() const { return fields_; }
  /// The numbers of the fields: most that are asked for aren't there.
  const FieldSet& present() const { return present_; }
  bool has(uint32_t number) const { return find(number) != nullptr; }
  /// The last one, which counts for a field that isn't repeated; null if there is none.
  const WireField* find(uint32_t number) const {
    if (!present_[place_in_set(number)]) return nullptr;
    for (size_t i = fields_.size(); i > 0; --i) {
      if (fields_[i - 1].number == number) return &fields_[i - 1];
    }
    return nullptr;
  }
  /// How many fields have the number.
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
  /// A nested message; occurrences of it add up. `name` must outlive the result.
  StatusOr<WireMessage> message(uint32_t number, std::string_view name) const;
  /// The same, in the place of what `result` holds, with its memory.
  Status read_message(uint32_t number, std::string_view name, WireMessage& result) const;
  /// A repeated integer, packed or not.
  StatusOr<std::vector<int64_t>> integers(uint32_t number) const;
  /// The same, in the place of what `values` holds.
  Status read_integers(uint32_t number, std::vector<int64_t>& values) const {
    values.clear();
    return present_[place_in_set(number)] ? append_integers(number, values) : ok_status();
  }
  /// The items of a repeated message or string.
  StatusOr<std::vector<std::string_view>> items(uint32_t number) const;
  /// Reads the items of a repeated message, one after the other: read_one(const WireMessage&) is a Status.
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
  /// Adds the fields of `message` to those there are.
  Status append(std::string_view message);
  Status append_integers(uint32_t number, std::vector<int64_t>& values) const;
  std::string_view name_;
  boost::container::small_vector<WireField, 4> fields_;  // as many as most messages within an instruction have
  FieldSet present_;
};

}  // namespace hilo::hlo::proto
