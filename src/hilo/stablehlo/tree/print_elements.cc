// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>

#include "hilo/stablehlo/tree/elements.h"
#include "hilo/stablehlo/tree/print_attribute.h"

namespace hilo::stablehlo {
namespace {

constexpr int64_t kMaxElementsInLists = 100;  // limit for printed lists, like MLIR's

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text = "\"0x";
  text.reserve(bytes.size() * 2 + 4);
  for (std::byte byte : bytes) {
    text += kDigits[std::to_integer<size_t>(byte >> 4)];
    text += kDigits[std::to_integer<size_t>(byte & std::byte{15})];
  }
  return text + '"';
}

/// Returns the bits of a float: 0x7FC00000.
std::string bits_text(ElementType type, const std::byte* element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, element_size_bytes(type));
  return fmt::format("0x{:0{}X}", bits, (element_type_info(type).bits + 3) / 4);
}

/// Returns a float in MLIR's format, with a decimal point, or as bits if decimal digits don't reproduce it.
std::string float_text(ElementType type, const std::byte* element) {
  std::string text = element_to_string(type, element);
  if (const size_t end = text.find_first_of(".e"); end == std::string::npos) text += ".0";
  else if (text[end] == 'e') text.insert(end, ".0");
  std::string again;
  const size_t size = element_size_bytes(type);
  const bool exact = text.find_first_not_of("+-.0123456789e") == std::string::npos &&
                     append_element(type, text, again).ok() && again.size() == size &&
                     std::memcmp(again.data(), element, size) == 0;
  return exact ? text : bits_text(type, element);
}

std::string element_text(ElementType type, const std::byte* element) {
  if (is_complex(type)) {
    const ElementType part = real_type_of(type);
    return fmt::format("({}, {})", float_text(part, element), float_text(part, element + element_size_bytes(part)));
  }
  return is_floating(type) ? float_text(type, element) : element_to_string(type, element);
}

}  // namespace

std::string print_elements(const Literal& literal) {
  const Shape& shape = literal.shape();
  const ElementType type = shape.element_type();
  const int64_t count = shape.element_count();
  const std::span<const std::byte> bytes = literal.bytes();
  if (count == 0) return {};
  if (count > kMaxElementsInLists && element_type_info(type).bits >= 8) return hexadecimal(bytes);
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    // Lists that begin or end with element i are those of dimensions whose inner size divides i.
    int64_t inner = 1;
    size_t opened = 0, closed = 0;
    for (int64_t d = shape.rank(); d-- > 0;) {
      inner *= shape.dimension(d);
      opened += i % inner == 0 ? 1 : 0;
      closed += (i + 1) % inner == 0 ? 1 : 0;
    }
    text += (i == 0 ? "" : ", ") + std::string(opened, '[') +
            element_text(type, bytes.data() + i * element_size_bytes(type));
    text.append(closed, ']');
  }
  return text;
}

}  // namespace hilo::stablehlo
