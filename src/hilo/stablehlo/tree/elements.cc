// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "hilo/base/text.h"
#include "hilo/types/narrow_float.h"

namespace hilo::stablehlo {
namespace {

template <typename T>
void append_bytes(T value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Appends the lowest bytes of `bits`, as many as an element has.
void append_low(ElementType type, uint64_t bits, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&bits), element_size_bytes(type));
}

struct ParsedInteger {
  uint64_t magnitude = 0;
  bool negative = false, hexadecimal = false;
};

std::optional<ParsedInteger> parse_integer(std::string_view text) {
  ParsedInteger parsed;
  parsed.negative = text.starts_with('-');
  if (parsed.negative) text.remove_prefix(1);
  parsed.hexadecimal = text.starts_with("0x");
  if (parsed.hexadecimal) text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, parsed.magnitude, parsed.hexadecimal ? 16 : 10);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return parsed;
}

Status append_integer(ElementType type, std::string_view text, std::string& bytes) {
  const std::optional<ParsedInteger> parsed = parse_integer(text);
  if (!parsed) return invalid_argument(fmt::format("{} is not an integer", quote(text)));
  const int bits = element_type_info(type).bits;
  const uint64_t most = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t half = uint64_t{1} << (bits - 1);
  const bool is_signed = is_signed_integer(type);
  // MLIR's integers have no sign, so both 255 and -1 fit in 8 bits.
  const bool fits = parsed->negative ? is_signed && parsed->magnitude <= half : parsed->magnitude <= most;
  if (!fits) return invalid_argument(fmt::format("{} does not fit {}", quote(text), element_type_name(type)));
  uint64_t value = parsed->negative ? 0 - parsed->magnitude : parsed->magnitude;
  if (is_signed && bits < 8 && (value & half) != 0) value |= ~most;  // narrow integers are sign-extended in their byte
  append_low(type, value, bytes);
  return ok_status();
}

Status append_float(ElementType type, std::string_view text, std::string& bytes) {
  if (text.starts_with("0x")) {
    const std::optional<ParsedInteger> parsed = parse_integer(text);
    const int bits = element_type_info(type).bits;
    if (!parsed || (bits < 64 && (parsed->magnitude >> bits) != 0))
      return invalid_argument(fmt::format("{} are not the bits of {}", quote(text), element_type_name(type)));
    append_low(type, parsed->magnitude, bytes);
    return ok_status();
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (stop != end || failure == std::errc::invalid_argument)
    return invalid_argument(fmt::format("{} is not a number", quote(text)));
  if (failure == std::errc::result_out_of_range) {
    return invalid_argument(fmt::format("{} is beyond the range of numbers", quote(text)));
  }
  switch (type) {
    case ElementType::kF64: append_bytes(value, bytes); return ok_status();
    case ElementType::kF32: append_bytes(static_cast<float>(value), bytes); return ok_status();
    case ElementType::kF16: append_bytes(float16(static_cast<float>(value)).bits, bytes); return ok_status();
    case ElementType::kBf16: append_bytes(bfloat16(static_cast<float>(value)).bits, bytes); return ok_status();
    default: break;  // the narrow types
  }
  // A type without zero uses its smallest number instead, like MLIR.
  const std::optional<uint8_t> code =
      type == ElementType::kF8E8M0Fnu && value == 0 ? std::optional<uint8_t>(0) : narrow_float_code(type, value);
  if (!code) return invalid_argument(fmt::format("{} does not fit {}", quote(text), element_type_name(type)));
  append_bytes(*code, bytes);
  return ok_status();
}

}  // namespace

std::optional<int64_t> element_count_of(const Type& type) {
  if (type.kind != TypeKind::kTensor) return std::nullopt;
  const StatusOr<Shape> shape = Shape::make_array(type.element, type.dimensions);  // rejects unknown dimensions, too
  if (!shape.ok()) return std::nullopt;
  return shape->element_count();
}

Status append_element(ElementType type, std::string_view text, std::string& bytes) {
  if (type == ElementType::kPred) {
    const bool truth = text == "true" || text == "1" || text == "-1";
    if (!truth && text != "false" && text != "0")
      return invalid_argument(fmt::format("{} is neither true nor false", quote(text)));
    bytes += truth ? '\1' : '\0';
    return ok_status();
  }
  if (is_integer(type)) return append_integer(type, text, bytes);
  if (is_floating(type)) return append_float(type, text, bytes);
  return invalid_argument(fmt::format("{} is not an element of {}", quote(text), element_type_name(type)));
}

namespace {

/// Bits of exponent and mantissa of a 6-bit float, which also has a sign.
struct SixBitFormat {
  int mantissa, bias;
  double greatest;
};
SixBitFormat format_of(const Type& type) {
  return type.six_bits == SixBits::kE2M3 ? SixBitFormat{3, 1, 7.5} : SixBitFormat{2, 3, 28.0};
}

void append_number(const Type& type, double value, std::string& bytes) {
  append_bytes(narrow_float_code(type.element, value).value_or(0), bytes);  // the carrier type has every such number
}

Status append_six_bits(const Type& type, uint8_t code, std::string& bytes) {
  if (code > 63) return invalid_argument(fmt::format("{:#x} are not the bits of {}", code, type.spelled));
  const SixBitFormat format = format_of(type);
  const int exponent = (code & 31) >> format.mantissa, hidden = exponent == 0 ? 0 : 1 << format.mantissa;
  const int digits = hidden + (code & ((1 << format.mantissa) - 1));
  const double size = std::ldexp(digits, std::max(exponent, 1) - format.bias - format.mantissa);
  append_number(type, std::copysign(size, (code & 32) != 0 ? -1.0 : 1.0), bytes);
  return ok_status();
}

}  // namespace

Status append_six_bits(const Type& type, std::string_view text, std::string& bytes) {
  if (const std::optional<ParsedInteger> parsed = parse_integer(text); parsed && parsed->hexadecimal) {
    if (parsed->magnitude > 63)
      return invalid_argument(fmt::format("{} are not the bits of {}", quote(text), type.spelled));
    return append_six_bits(type, static_cast<uint8_t>(parsed->magnitude), bytes);
  }
  double value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (stop != text.data() + text.size() || failure != std::errc())
    return invalid_argument(fmt::format("{} is not a number", quote(text)));
  const SixBitFormat format = format_of(type);
  const int exponent = value == 0 ? 1 - format.bias : std::max(std::ilogb(value), 1 - format.bias);
  const double step = std::ldexp(1.0, exponent - format.mantissa), nearest = std::nearbyint(value / step) * step;
  if (!(std::fabs(nearest) <= format.greatest))
    return invalid_argument(fmt::format("{} does not fit {}", quote(text), type.spelled));
  append_number(type, nearest, bytes);
  return ok_status();
}

StatusOr<std::string> six_bit_elements(const Type& type, std::string_view codes) {
  std::string bytes;
  for (const char code : codes) HILO_RETURN_IF_ERROR(append_six_bits(type, static_cast<uint8_t>(code), bytes));
  return bytes;
}

std::optional<Type> six_bit_type(std::string_view name) {
  if (name != "f6E2M3FN" && name != "f6E3M2FN") return std::nullopt;
  Type type;
  type.kind = TypeKind::kElement;
  type.six_bits = name == "f6E2M3FN" ? SixBits::kE2M3 : SixBits::kE3M2;
  type.element = type.six_bits == SixBits::kE2M3 ? ElementType::kF8E3M4 : ElementType::kF8E4M3;
  type.spelled = name;
  return type;
}

StatusOr<Literal> literal_from_bytes(const Type& type, std::span<const std::byte> bytes) {
  const std::optional<int64_t> known = element_count_of(type);
  if (!known) return invalid_argument(fmt::format("type {} can't have elements", type.spelled));
  const size_t count = *known;
  const size_t size = element_size_bytes(type.element);
  const bool packed = type.element == ElementType::kPred && bytes.size() == (count + 7) / 8 && bytes.size() != count;
  const bool all_set = type.element == ElementType::kPred && bytes.size() == 1 && bytes[0] == std::byte{0xff};
  const bool one = !packed && bytes.size() == size && count != 1;
  if (all_set || (one && count > 0)) {
    HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(Shape::scalar(type.element)));
    std::memcpy(literal.mutable_bytes().data(), bytes.data(), size);
    if (type.element == ElementType::kPred) literal.data<uint8_t>()[0] = bytes[0] != std::byte{0};
    return literal;
  }
  if (!packed && bytes.size() != count * size && !(count == 0 && bytes.size() == size)) {
    return invalid_argument(fmt::format("type {}: got {} bytes; wanted {}, or {} for a splat", type.spelled,
                                        bytes.size(), count * size, size));
  }
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(Shape::array(type.element, type.dimensions)));
  if (packed || type.element == ElementType::kPred) {
    const std::span<uint8_t> out = literal.data<uint8_t>();
    for (size_t i = 0; i < count; ++i) {
      const auto byte = std::to_integer<uint8_t>(bytes[packed ? i / 8 : i]);
      out[i] = packed ? (byte >> (i % 8)) & 1 : byte != 0;
    }
    return literal;
  }
  if (count > 0) std::memcpy(literal.mutable_bytes().data(), bytes.data(), count * size);
  if (const int bits = element_type_info(type.element).bits; bits < 8) {  // the bits above an element are undefined
    for (uint8_t& byte : literal.data<uint8_t>()) {
      const unsigned kept = byte & ((1u << bits) - 1);
      const bool negative = is_signed_integer(type.element) && (kept >> (bits - 1)) != 0;
      byte = static_cast<uint8_t>(negative ? kept | ~((1u << bits) - 1) : kept);
    }
  }
  return literal;
}

}  // namespace hilo::stablehlo
