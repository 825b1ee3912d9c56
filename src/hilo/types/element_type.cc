// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/element_type.h"

#include "hilo/base/sizes.h"

namespace hilo {
namespace {

constexpr bool rows_follow_the_enum() {
  for (size_t i = 0; i < kElementTypes.size(); ++i) {
    if (ordinal(kElementTypes[i].type) != i) return false;
  }
  return kElementTypes.size() == ordinal(ElementType::kTuple) + 1;
}
static_assert(rows_follow_the_enum());

}  // namespace

std::optional<ElementType> element_type_from_name(std::string_view name) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.name == name) return info.type;
  }
  return std::nullopt;
}

}  // namespace hilo
