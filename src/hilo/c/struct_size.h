// SPDX-License-Identifier: Apache-2.0
// c/struct_size.h -- structs of C that begin with their size, so that later versions can append fields.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::c {

inline constexpr size_t kMaxStructSize = 4096;  // a larger number is no size, but a field that wasn't set

/// Checks the size that a caller set. `name` is that of the struct.
inline Status check_size(size_t size, std::string_view name) {
  if (size >= sizeof(size_t) && size <= kMaxStructSize) return ok_status();
  return invalid_argument(fmt::format("{}: size is {}. Hint: set it to sizeof({})", name, size, name));
}

/// Returns the caller's struct as this version has it. Null: all fields are 0.
/// Errors    INVALID_ARGUMENT for a wrong size; UNIMPLEMENTED for a field that this version doesn't have
template <typename Struct>
StatusOr<Struct> read_struct(const Struct* from, std::string_view name) {
  Struct own = {};
  if (from == nullptr) return own;
  HILO_RETURN_IF_ERROR(check_size(from->size, name));
  const size_t size = from->size;
  std::memcpy(&own, from, std::min(size, sizeof(Struct)));
  const auto* const bytes = reinterpret_cast<const char*>(from);
  if (std::any_of(bytes + std::min(size, sizeof(Struct)), bytes + size, [](char byte) { return byte != 0; }))
    return unimplemented(fmt::format("{}: a field that this version of hilo doesn't know is set", name));
  return own;
}

/// Writes the fields that the caller's struct has; its size stays.
/// Errors    INVALID_ARGUMENT for a wrong size
template <typename Struct>
Status write_struct(Struct own, Struct* to, std::string_view name) {
  HILO_RETURN_IF_ERROR(check_size(to->size, name));
  own.size = to->size;
  std::memcpy(to, &own, std::min(own.size, sizeof(Struct)));
  return ok_status();
}

}  // namespace hilo::c
