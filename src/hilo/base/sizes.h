// SPDX-License-Identifier: Apache-2.0
// base/sizes.h -- sizes and enumerators as numbers of the type that tables and loops use.
#pragma once

#include <cstdint>
#include <type_traits>

namespace hilo {

/// Returns the number of elements of a container as a 32-bit id. Precondition: it fits.
/// Example    nodes.push_back(node); return size32(nodes) - 1;
constexpr uint32_t size32(const auto& container) { return static_cast<uint32_t>(container.size()); }

/// Returns an enumerator as an index of a table, or as a label for enumerators that several enumerations share.
/// Example    kNames[ordinal(opcode)]
template <typename Enum>
  requires std::is_enum_v<Enum>
constexpr auto ordinal(Enum enumerator) {
  return static_cast<std::underlying_type_t<Enum>>(enumerator);
}

}  // namespace hilo
