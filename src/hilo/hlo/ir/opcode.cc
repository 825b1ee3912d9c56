// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/opcode.h"

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/base/sizes.h"
#include "hilo/base/text_hash.h"
#include "hilo/hlo/ir/extensions.h"

namespace hilo::hlo {
namespace {

constexpr std::array<std::string_view, kOpcodeCount> kNames = {
#define HILO_ELEMENTWISE(enumerator, name, ...) name,
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
#define HILO_STRUCTURAL(enumerator, name, ...) name,
#include "hilo/hlo/ir/structural.inc"
#undef HILO_STRUCTURAL
#define HILO_EXTENSION(enumerator, name) "hilo." #name,
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) "hilo." #name,
#include "hilo/hlo/ir/extensions.inc"
};

}  // namespace

std::string_view opcode_name(Opcode opcode) { return kNames[ordinal(opcode)]; }

std::optional<Opcode> opcode_from_name(std::string_view name) {
  static const auto* by_name = [] {
    auto* map = new boost::unordered_flat_map<std::string_view, Opcode, TextHash>;
    for (size_t i = 0; i < kNames.size(); ++i) map->emplace(kNames[i], static_cast<Opcode>(i));
    return map;
  }();
  const auto it = by_name->find(name);
  if (it == by_name->end()) return std::nullopt;
  return it->second;
}

}  // namespace hilo::hlo
