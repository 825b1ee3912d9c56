// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/frontend_attribute.h"

#include <fmt/format.h>

#include "hilo/base/text.h"

namespace hilo::hlo {

std::string frontend_attribute(std::string_view attributes, std::string_view key) {
  const std::string prefix = fmt::format("{}=\"", key);
  size_t found = attributes.find(prefix);
  while (found != std::string_view::npos && found > 0 &&
         std::string_view("{, ").find(attributes[found - 1]) == std::string_view::npos)
    found = attributes.find(prefix, found + 1);  // the end of a longer key
  std::string text;
  if (found == std::string_view::npos) return text;
  for (size_t i = found + prefix.size(); i < attributes.size() && attributes[i] != '"'; ++i) {
    if (attributes[i] == '\\' && i + 1 < attributes.size()) ++i;
    text += attributes[i];
  }
  return text;
}

std::optional<int64_t> frontend_number(const Instruction& instruction, std::string_view key) {
  if (instruction.annotations == nullptr) return std::nullopt;
  return parse_int64(frontend_attribute(instruction.annotations->frontend_attributes, key));
}

}  // namespace hilo::hlo
