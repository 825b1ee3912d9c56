// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/operations.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::stablehlo {

std::string in_tree(std::string_view name) {
  return name.find('.') == std::string_view::npos ? fmt::format("stablehlo.{}", name) : std::string(name);
}

std::string_view take_until(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return head;
}

}  // namespace hilo::stablehlo
