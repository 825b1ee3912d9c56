// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/named_values.h"

#include <charconv>
#include <string>

namespace hilo::pjrt {
namespace {

PJRT_NamedValue named(std::string_view name, PJRT_NamedValue_Type type, size_t size) {
  PJRT_NamedValue value{};
  value.struct_size = kPjrtStructSize<PJRT_NamedValue>;
  value.name = name.data();
  value.name_size = name.size();
  value.type = type;
  value.value_size = size;
  return value;
}

}  // namespace

PJRT_NamedValue named(std::string_view name, int64_t value) {
  PJRT_NamedValue result = named(name, PJRT_NamedValue_kInt64, 1);
  result.int64_value = value;
  return result;
}

PJRT_NamedValue named(std::string_view name, float value) {
  PJRT_NamedValue result = named(name, PJRT_NamedValue_kFloat, 1);
  result.float_value = value;
  return result;
}

PJRT_NamedValue named(std::string_view name, std::string_view value) {
  PJRT_NamedValue result = named(name, PJRT_NamedValue_kString, value.size());
  result.string_value = value.data();
  return result;
}

PJRT_NamedValue named(std::string_view name, std::span<const int64_t> value) {
  PJRT_NamedValue result = named(name, PJRT_NamedValue_kInt64List, value.size());
  result.int64_array_value = value.data();
  return result;
}

std::string_view name_of(const PJRT_NamedValue& value) { return {value.name, value.name_size}; }

StatusOr<int64_t> integer_of(const PJRT_NamedValue& value) {
  if (value.type == PJRT_NamedValue_kInt64) return value.int64_value;
  if (value.type == PJRT_NamedValue_kString) {
    int64_t number = 0;
    const char* const end = value.string_value + value.value_size;
    if (const auto [at, error] = std::from_chars(value.string_value, end, number); error == std::errc() && at == end)
      return number;
  }
  return invalid_argument("option '" + std::string(name_of(value)) + "': wanted a number");
}

StatusOr<std::string_view> text_of(const PJRT_NamedValue& value) {
  if (value.type == PJRT_NamedValue_kString) return std::string_view(value.string_value, value.value_size);
  return invalid_argument("option '" + std::string(name_of(value)) + "': wanted a text");
}

}  // namespace hilo::pjrt
