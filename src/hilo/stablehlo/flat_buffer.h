// SPDX-License-Identifier: Apache-2.0
// stablehlo/flat_buffer.h -- reads tables of a flatbuffer and checks every offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::stablehlo {

/// The bytes of a flatbuffer. After the first error all reads return 0 or empty, and status() reports its position.
class FlatBuffer {
 public:
  FlatBuffer(std::string_view data, std::string_view source) : data_(data), source_(source), budget_(data.size()) {}

  bool failed() const { return !status_.ok(); }
  const Status& status() const { return status_; }
  void fail(size_t position, const std::string& message, StatusCode code = StatusCode::kInvalidArgument);

  /// Returns a little-endian number of 1, 2 or 4 bytes.
  uint32_t number(size_t position, size_t size);
  /// Returns the target of the offset at `position`. Offsets point forward.
  size_t target(size_t position);
  /// Returns the bytes of the vector or string at `position`, whose elements have `element_size` bytes. A file may
  /// refer to one position many times. The total number of bytes read is limited to the file's size, so that small
  /// files can't expand to large results.
  std::string_view vector_bytes(size_t position, size_t element_size);
  size_t position_of(std::string_view part) const { return part.data() - data_.data(); }

 private:
  std::string_view data_, source_;
  size_t budget_;
  Status status_;
};

/// A list of elements with `element_size` bytes each.
struct FlatVector {
  std::string_view bytes;
  size_t element_size = 4;
  size_t size() const { return bytes.size() / element_size; }
};

/// A table. Fields are indexed by their position in the schema, from 0. Absent fields are 0 or empty.
class FlatTable {
 public:
  /// Creates a table without fields.
  explicit FlatTable(FlatBuffer& buffer) : buffer_(&buffer) {}
  FlatTable(FlatBuffer& buffer, size_t position);
  static FlatTable root(FlatBuffer& buffer) { return FlatTable(buffer, buffer.target(0)); }

  bool has(size_t field) const { return place(field) != 0; }
  uint32_t number(size_t field, size_t size) const;
  std::string text(size_t field) const { return std::string(list(field, 1).bytes); }
  FlatTable table(size_t field) const;
  FlatVector list(size_t field, size_t element_size = 4) const;

  /// Return element `i` of a list of tables, strings or numbers.
  FlatTable table_in(const FlatVector& list, size_t i) const;
  std::string text_in(const FlatVector& list, size_t i) const;
  uint32_t number_in(const FlatVector& list, size_t i) const;

 private:
  size_t place(size_t field) const;

  FlatBuffer* buffer_;
  size_t position_ = 0, fields_ = 0, field_count_ = 0;
};

}  // namespace hilo::stablehlo
