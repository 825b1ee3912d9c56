// SPDX-License-Identifier: Apache-2.0
// pjrt/known_part.h -- structs of callers that were built for another version of the C API.
#pragma once

#include <algorithm>
#include <cstring>

#include "hilo/pjrt_abi/values.h"

namespace hilo::pjrt {

/// Copies what the caller's version and this one have in common. Fields that the caller doesn't have are zero.
template <class Struct>
Struct known_part(const Struct& theirs) {
  Struct known{};
  std::memcpy(&known, &theirs, std::min(theirs.struct_size, kPjrtStructSize<Struct>));
  return known;
}

}  // namespace hilo::pjrt
