// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/flat_buffer.h"

#include <fmt/format.h>

namespace hilo::stablehlo {

void FlatBuffer::fail(size_t position, const std::string& message, StatusCode code) {
  if (status_.ok()) status_ = Status(code, fmt::format("{}: byte {}: {}", source_, position, message));
}

uint32_t FlatBuffer::number(size_t position, size_t size) {
  if (failed()) return 0;
  if (position > data_.size() || size > data_.size() - position) {
    fail(position, fmt::format("wanted {} bytes; the file has {}", size, data_.size()));
    return 0;
  }
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= static_cast<uint32_t>(static_cast<uint8_t>(data_[position + i])) << (8 * i);
  return value;
}

size_t FlatBuffer::target(size_t position) {
  const uint32_t offset = number(position, 4);
  if (failed()) return 0;
  if (offset == 0 || offset >= data_.size() - position) {
    fail(position, fmt::format("offset {} is outside of the file", offset));
    return 0;
  }
  return position + offset;
}

std::string_view FlatBuffer::vector_bytes(size_t position, size_t element_size) {
  const size_t count = number(position, 4);
  if (failed()) return {};
  const size_t begin = position + 4;
  if (count > (data_.size() - begin) / element_size) {
    fail(position, fmt::format("a list of {} elements of {} bytes is not inside the file", count, element_size));
    return {};
  }
  if (count * element_size > budget_) {
    fail(position, "the same bytes are referred to many times: the total exceeds the file's size");
    return {};
  }
  budget_ -= count * element_size;
  return data_.substr(begin, count * element_size);
}

FlatTable::FlatTable(FlatBuffer& buffer, size_t position) : buffer_(&buffer), position_(position) {
  // A table begins with the signed distance to its list of fields. The list contains sizes, then one offset per field.
  const int64_t fields = static_cast<int64_t>(position) - static_cast<int32_t>(buffer.number(position, 4));
  if (buffer.failed()) return;
  if (fields < 0) {
    buffer.fail(position, "a table's list of fields begins before the file");
    return;
  }
  const uint32_t bytes = buffer.number(fields, 2);
  if (buffer.failed()) return;
  if (bytes < 4) {
    buffer.fail(fields, "a list of fields has at least 4 bytes");
    return;
  }
  fields_ = static_cast<size_t>(fields) + 4;
  field_count_ = (bytes - 4) / 2;
}

size_t FlatTable::place(size_t field) const {
  if (field >= field_count_) return 0;
  const uint32_t offset = buffer_->number(fields_ + 2 * field, 2);
  return offset == 0 ? 0 : position_ + offset;
}

uint32_t FlatTable::number(size_t field, size_t size) const {
  const size_t at = place(field);
  return at == 0 ? 0 : buffer_->number(at, size);
}

FlatTable FlatTable::table(size_t field) const {
  const size_t at = place(field);
  if (at == 0) return FlatTable(*buffer_);
  const size_t target = buffer_->target(at);
  return buffer_->failed() ? FlatTable(*buffer_) : FlatTable(*buffer_, target);
}

FlatVector FlatTable::list(size_t field, size_t element_size) const {
  const size_t at = place(field);
  if (at == 0) return {{}, element_size};
  const size_t target = buffer_->target(at);
  return {buffer_->failed() ? std::string_view() : buffer_->vector_bytes(target, element_size), element_size};
}

FlatTable FlatTable::table_in(const FlatVector& list, size_t i) const {
  const size_t target = buffer_->target(buffer_->position_of(list.bytes) + i * list.element_size);
  return buffer_->failed() ? FlatTable(*buffer_) : FlatTable(*buffer_, target);
}

std::string FlatTable::text_in(const FlatVector& list, size_t i) const {
  const size_t target = buffer_->target(buffer_->position_of(list.bytes) + i * list.element_size);
  return buffer_->failed() ? std::string() : std::string(buffer_->vector_bytes(target, 1));
}

uint32_t FlatTable::number_in(const FlatVector& list, size_t i) const {
  return buffer_->number(buffer_->position_of(list.bytes) + i * list.element_size, list.element_size);
}

}  // namespace hilo::stablehlo
