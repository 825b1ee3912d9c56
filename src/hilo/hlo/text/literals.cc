// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/types/checked.h"
#include "hilo/types/narrow_float.h"
#include "hilo/types/twins.h"

namespace hilo::hlo::text {
namespace {

using Number = std::string_view;  // the text of one real number, including "nan(0x1)"

constexpr std::string_view kLeftOut = "...";  // for values that a text omits

/// The unsigned integer of a float's width, and the width of its mantissa.
template <typename T>
using FloatBits = std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
template <typename T>
constexpr int kMantissaBits = std::is_same_v<T, double>    ? 52
                              : std::is_same_v<T, float>   ? 23
                              : std::is_same_v<T, float16> ? 10
                                                           : 7;

/// Converts decimal text to float or double; nullopt if it is invalid or too large. Tiny values become zero.
template <typename T>
std::optional<T> decimal(Number text) {
  T value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (status == std::errc()) return value;
  if (status != std::errc::result_out_of_range) return std::nullopt;
  // Out of range: a double, whose range contains float's, tells whether the value is too large or too small.
  double wide = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), wide).ec == std::errc();
  const bool tiny = fits ? std::abs(wide) < 1 : text.find("e-") != Number::npos || text.find("E-") != Number::npos;
  if (!tiny) return std::nullopt;
  return text.front() == '-' ? -T{0} : T{0};
}

/// Returns the mantissa in "nan(0x7fc001)" or "-nan"; nullopt for other text. `quiet` is the mantissa of "nan".
std::optional<uint64_t> nan_mantissa(Number text, uint64_t quiet) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text == "nan") return quiet;
  if (!text.starts_with("nan(0x") || !text.ends_with(')')) return std::nullopt;
  uint64_t payload = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [stop, status] = std::from_chars(text.data() + 6, end, payload, 16);
  if (status != std::errc() || stop != end || payload == 0) return std::nullopt;
  return payload;
}

template <typename T>
std::optional<T> float_from_text(Number text) {
  using Bits = FloatBits<T>;
  constexpr int kMantissa = kMantissaBits<T>;
  constexpr int kWidth = static_cast<int>(sizeof(Bits)) * 8;
  constexpr uint64_t kExponent = ((uint64_t{1} << (kWidth - 1 - kMantissa)) - 1) << kMantissa;
  const uint64_t sign = text.starts_with('-') ? uint64_t{1} << (kWidth - 1) : 0;
  if (const auto mantissa = nan_mantissa(text, uint64_t{1} << (kMantissa - 1))) {
    if (*mantissa >> kMantissa) return std::nullopt;
    return std::bit_cast<T>(static_cast<Bits>(sign | kExponent | *mantissa));
  }
  if (text == "inf" || text == "-inf") return std::bit_cast<T>(static_cast<Bits>(sign | kExponent));
  if constexpr (std::is_floating_point_v<T>) {
    return decimal<T>(text);
  } else {
    const std::optional<double> wide = decimal<double>(text);
    if (!wide) return std::nullopt;
    const T narrow(round_to_odd(*wide));
    return std::isinf(static_cast<float>(narrow)) ? std::nullopt : std::optional<T>(narrow);
  }
}

std::optional<uint8_t> narrow_code_from_text(ElementType type, Number text) {
  const int mantissa_bits = narrow_float_mantissa_bits(type);
  const bool negative = text.starts_with('-');
  if (text.find("nan") != Number::npos) {
    const std::optional<uint8_t> plain = narrow_float_code(type, std::copysign(std::nan(""), negative ? -1.0 : 1.0));
    if (!plain) return std::nullopt;
    const uint64_t mask = (uint64_t{1} << mantissa_bits) - 1;
    const auto mantissa = nan_mantissa(text, *plain & mask);
    if (!mantissa || *mantissa > mask) return std::nullopt;
    const auto code = static_cast<uint8_t>((*plain & ~mask) | *mantissa);
    return std::isnan(narrow_float_value(type, code)) ? std::optional<uint8_t>(code) : std::nullopt;
  }
  if (text == "inf" || text == "-inf") return narrow_float_code(type, negative ? -HUGE_VAL : HUGE_VAL);
  const std::optional<double> value = decimal<double>(text);
  return value ? narrow_float_code(type, *value) : std::nullopt;
}

/// Returns nullopt for numbers that the type can't represent.
template <typename T>
std::optional<T> narrow_from_text(Number text) {
  const std::optional<uint8_t> code = narrow_code_from_text(element_type_of<T>, text);
  if (!code) return std::nullopt;
  T value;
  value.bits = *code;
  return value;
}

template <typename T>
std::optional<T> integer_from_text(Number text) {
  if constexpr (is_narrow_integer_twin<T>) {
    const auto byte = integer_from_text<typename T::Byte>(text);
    if (!byte || *byte < std::numeric_limits<T>::min() || *byte > std::numeric_limits<T>::max()) return std::nullopt;
    return T(*byte);
  } else {
    const auto exactly = [text]<typename N>(N value) -> std::optional<N> {
      const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
      return value;
    };
    if (const auto value = exactly(T{0})) return value;
    // s64 and u64 accept each other's numbers, as XLA's lexer has one token for both: 2^63 is read as -2^63 in s64.
    if constexpr (sizeof(T) == sizeof(uint64_t)) {
      using Twin = std::conditional_t<std::is_signed_v<T>, uint64_t, int64_t>;
      if (const auto value = exactly(Twin{0})) return static_cast<T>(*value);
    }
    return std::nullopt;
  }
}

/// Reads one element of a type from its text.
template <typename T>
std::optional<T> element_from_text(Number text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    const std::optional<int64_t> number = integer_from_text<int64_t>(text);
    return number ? std::optional<bool>(*number != 0) : std::nullopt;
  } else if constexpr (is_narrow_float_twin<T>) {
    return narrow_from_text<T>(text);
  } else if constexpr (is_integral_element<T>) {
    return integer_from_text<T>(text);
  } else {
    return float_from_text<T>(text);
  }
}

constexpr bool ends_number(char c) {
  return c == ',' || c == '{' || c == '}' || c == '(' || c == ')' || c == ' ' || c == '\n' || c == '\t' || c == '\r' ||
         c == '/';
}

/// Returns the text of the next number; empty if none exists.
Number number_text(Cursor& cursor) {
  const size_t begin = cursor.position();
  size_t end = begin;
  for (; cursor.next_byte() != '\0' && !ends_number(cursor.next_byte()); cursor.set_position(++end)) {}
  if (cursor.next_byte() == '(' && cursor.between(begin, end).ends_with("nan")) {
    while (cursor.next_byte() != '\0' && cursor.next_byte() != ')' && cursor.next_byte() != '\n')
      cursor.set_position(++end);
    if (cursor.next_byte() == ')') cursor.set_position(++end);
  }
  return cursor.between(begin, end);
}

template <typename T>
Status read_real(Cursor& cursor, ElementType type, T& out) {
  const size_t position = cursor.position();
  const Number text = number_text(cursor);
  if (text.empty()) return cursor.unexpected("a value", "");
  const std::optional<T> value = element_from_text<T>(text);
  if (!value) {
    return cursor.error(
        position, fmt::format("{} is not a value of {}, or out of its range", quote(text), element_type_name(type)));
  }
  out = *value;
  return ok_status();
}

template <typename T>
struct is_complex_number : std::false_type {};
template <typename T>
struct is_complex_number<std::complex<T>> : std::true_type {};

template <typename T>
Status read_element(Cursor& cursor, ElementType type, T& out) {
  if constexpr (is_complex_number<T>::value) {
    using Part = typename T::value_type;
    Part real = 0, imaginary = 0;
    if (!cursor.accept('(')) {
      HILO_RETURN_IF_ERROR(read_real(cursor, type, real));
    } else {
      HILO_RETURN_IF_ERROR(read_real(cursor, type, real));
      HILO_RETURN_IF_ERROR(cursor.expect(',', "between the parts of a complex number"));
      HILO_RETURN_IF_ERROR(read_real(cursor, type, imaginary));
      HILO_RETURN_IF_ERROR(cursor.expect(')', "after a complex number"));
    }
    out = T(real, imaginary);
    return ok_status();
  } else {
    return read_real(cursor, type, out);
  }
}

/// Facts about a constant's text that are determined before memory is allocated.
struct ValueCount {
  int64_t values = 0;
  bool left_out = false;  ///< the text contains "..."
  bool bare = false;      ///< one value without braces
};

/// Counts the values in the next array, ignoring their nesting.
ValueCount count_values(Cursor cursor) {
  ValueCount count;
  int depth = 0;
  do {
    if (cursor.accept('{')) {
      ++depth;
    } else if (cursor.accept('}')) {
      --depth;
    } else if (depth > 0 && cursor.accept(',')) {
    } else if (cursor.accept('(')) {
      ++count.values;
      while (!number_text(cursor).empty() && cursor.accept(',')) {}
      cursor.accept(')');
      count.bare |= depth == 0;
    } else {
      const Number text = number_text(cursor);
      if (text.empty()) break;
      if (text == kLeftOut) count.left_out = true;
      else ++count.values;
      count.bare |= depth == 0;
    }
  } while (depth > 0);
  return count;
}

/// Reads the values, nested like the dimensions. Commas are ignored; "..." represents the remaining rows of the first
/// dimension. An array without values may be written as "{}".
template <typename T>
Status read_values(Cursor& cursor, const Shape& shape, std::span<T> values) {
  const auto dimensions = shape.dimensions();
  int64_t seen[Shape::kMaxRank] = {};
  size_t depth = 0, next = 0;
  do {
    const char c = cursor.peek();
    if (c == ',' && depth > 0) {
      cursor.accept(',');
    } else if (c == '{') {
      if (depth == dimensions.size()) return cursor.unexpected("a value", "");
      if (depth > 0 && ++seen[depth - 1] > dimensions[depth - 1]) {
        return cursor.unexpected(
            "'}'", fmt::format("after {} of dimension {} of {}", dimensions[depth - 1], depth - 1, shape.to_string()));
      }
      cursor.accept('{');
      seen[depth++] = 0;
    } else if (c == '}' && depth > 0) {
      --depth;
      if (seen[depth] != dimensions[depth] && !values.empty()) {
        return cursor.unexpected("a value", fmt::format("after {} of {} in dimension {} of {}", seen[depth],
                                                        dimensions[depth], depth, shape.to_string()));
      }
      cursor.accept('}');
    } else if (depth == 1 && cursor.accept_text(kLeftOut)) {
      seen[0] = dimensions[0];
    } else {
      if (depth < dimensions.size())
        return cursor.expect('{', fmt::format("before dimension {} of {}", depth, shape.to_string()));
      if (next == values.size() || (depth > 0 && ++seen[depth - 1] > dimensions[depth - 1])) {
        return cursor.unexpected("'}'", depth == 0
                                            ? fmt::format("after {} values", next)
                                            : fmt::format("after dimension {} of {}", depth - 1, shape.to_string()));
      }
      HILO_RETURN_IF_ERROR(read_element(cursor, shape.element_type(), values[next++]));
    }
  } while (depth > 0);
  return ok_status();
}

Status not_an_array(const Cursor& cursor, size_t position, const Shape& shape) {
  return cursor.error(position, fmt::format("a constant can't be of {}", shape.to_string()));
}

/// Reads "{...}" if it is the whole text of the array.
Status read_left_out(Cursor& cursor, const Shape& shape) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', fmt::format("before dimension 0 of {}", shape.to_string())));
  if (!cursor.accept_text(kLeftOut)) return cursor.unexpected("'...'", "");
  return cursor.expect('}', "after '...'");
}

/// Reads all values into a literal of the shape.
StatusOr<Literal> read_all_values(Cursor& cursor, const Shape& plain) {
  const size_t position = cursor.position();
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(plain));
  HILO_RETURN_IF_ERROR(visit_array_type(
      plain.element_type(), [&]<typename T>() { return read_values<T>(cursor, plain, literal.data<T>()); },
      [&] { return not_an_array(cursor, position, plain); }));
  return literal;
}

/// Returns an array of `first` and zeros.
Literal with_zeros_after(const Literal& first, const Shape& shape) {
  Literal literal(shape);
  if (!literal.mutable_bytes().empty()) std::ranges::copy(first.bytes(), literal.mutable_bytes().begin());
  return literal;
}

/// `whole` requires kWhole, as for elements of tuples.
StatusOr<ConstantText> read_array(Cursor& cursor, const Shape& shape, std::string_view name, bool whole) {
  constexpr int64_t kFewElements = 4096, kMaxOmitted = 1 << 20;
  const size_t position = cursor.position();
  if (!shape.is_array()) return not_an_array(cursor, position, shape);
  const Shape plain = shape.with_default_layout();
  const ValueCount count = count_values(cursor);
  const int64_t elements = plain.element_count();
  const bool one = count.bare && plain.rank() > 0 && !count.left_out;
  if (!count.left_out && !one && count.values != elements) {
    return cursor.error(position, fmt::format("constant '{}': got {} value{}; {} needs {}", name, count.values,
                                              count.values == 1 ? "" : "s", plain.to_string(), elements));
  }
  const bool dense = whole || (count.left_out && count.values > 0);
  const bool few = elements <= (dense ? kMaxOmitted : kFewElements);
  if ((count.left_out || one) && dense && !few) {
    return cursor.error(
        StatusCode::kResourceExhausted, position,
        fmt::format("constant '{}': got {} values, the others of {} omitted; wanted {} elements at most", name,
                    count.values, plain.to_string(), kMaxOmitted));
  }
  const Shape scalar = Shape::scalar(plain.element_type());
  if (count.left_out && !few) {
    HILO_RETURN_IF_ERROR(read_left_out(cursor, plain));
    return ConstantText{ConstantText::Kind::kZeros, Literal(scalar)};
  }
  if (!one) {
    HILO_ASSIGN_OR_RETURN(Literal literal, read_all_values(cursor, plain));
    return ConstantText{ConstantText::Kind::kWhole, std::move(literal)};
  }
  HILO_ASSIGN_OR_RETURN(Literal first, read_all_values(cursor, scalar));
  if (few) return ConstantText{ConstantText::Kind::kWhole, with_zeros_after(first, plain)};
  return ConstantText{ConstantText::Kind::kFirst, std::move(first)};
}

}  // namespace

StatusOr<ConstantText> read_constant(Cursor& cursor, const Shape& shape, std::string_view name) {
  if (!shape.is_tuple()) return read_array(cursor, shape, name, false);
  struct Frame {
    Shape shape;
    std::vector<Literal> elements;
  };
  std::vector<Frame> open;
  Shape current = shape;
  for (;;) {
    bool opened = false;
    if (current.is_tuple()) {
      HILO_RETURN_IF_ERROR(cursor.expect('(', fmt::format("before a constant of {}", current.to_string())));
      open.push_back({current, {}});
      opened = true;
    } else {
      HILO_ASSIGN_OR_RETURN(ConstantText element, read_array(cursor, current, name, true));
      open.back().elements.push_back(std::move(element.value));
    }
    while (std::ssize(open.back().elements) == open.back().shape.tuple_size()) {
      HILO_RETURN_IF_ERROR(cursor.expect(')', "after the elements of a tuple constant"));
      Literal tuple = Literal::tuple(std::move(open.back().elements));
      open.pop_back();
      if (open.empty()) return ConstantText{ConstantText::Kind::kWhole, std::move(tuple)};
      open.back().elements.push_back(std::move(tuple));
      opened = false;
    }
    if (!opened) HILO_RETURN_IF_ERROR(cursor.expect(',', "between the elements of a tuple constant"));
    current = open.back().shape.tuple_element(open.back().elements.size());
  }
}

namespace {

/// Appends "nan", "-nan" or "nan(0x1)"; the payload only if it isn't the default one.
void append_nan(bool negative, uint64_t mantissa, uint64_t quiet, std::string& out) {
  out += negative ? "-nan" : "nan";
  if (mantissa != quiet) out += fmt::format("(0x{:x})", mantissa);
}

template <typename T>
void append_float(T value, std::string& out) {
  using Bits = FloatBits<T>;
  constexpr int kMantissa = kMantissaBits<T>;
  std::conditional_t<std::is_same_v<T, double>, double, float> wide = value;
  if (std::isnan(wide)) {
    const auto bits = std::bit_cast<Bits>(value);
    append_nan(std::signbit(wide), bits & ((uint64_t{1} << kMantissa) - 1), uint64_t{1} << (kMantissa - 1), out);
  } else if (std::isinf(wide)) {
    out += wide < 0 ? "-inf" : "inf";
  } else {
    fmt::format_to(std::back_inserter(out), "{}", wide);
  }
}

void append_narrow(ElementType type, uint8_t code, std::string& out) {
  const double value = narrow_float_value(type, code);
  if (!std::isnan(value)) return append_float(value, out);
  const uint64_t mask = (uint64_t{1} << narrow_float_mantissa_bits(type)) - 1;
  const bool negative = std::signbit(value);
  append_nan(negative, code & mask, *narrow_float_code(type, value) & mask, out);
}

template <typename T>
void append_element(T value, std::string& out) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (is_narrow_float_twin<T>) {
    append_narrow(element_type_of<T>, value.bits, out);
  } else if constexpr (is_integral_element<T>) {
    fmt::format_to(std::back_inserter(out), "{}",
                   static_cast<std::conditional_t<is_signed_element<T>, int64_t, uint64_t>>(value));
  } else if constexpr (is_complex_number<T>::value) {
    out += '(';
    append_float(value.real(), out);
    out += ", ";
    append_float(value.imag(), out);
    out += ')';
  } else {
    append_float(value, out);
  }
}

/// Appends braces down to the empty dimension, as XLA does: `{{}, {}}` for [2,0,1].
void append_empty(std::span<const int64_t> dimensions, std::string& out) {
  constexpr int64_t kMaxBraces = 4096;
  const size_t depth = std::ranges::find(dimensions, 0) - dimensions.begin();
  std::vector<int64_t> inner(depth + 1, 1);
  for (size_t i = depth; i-- > 0;)
    inner[i] = std::min(checked_mul(inner[i + 1], dimensions[i]).value_or(INT64_MAX), kMaxBraces + 1);
  if (inner[0] > kMaxBraces) {
    out += "{...}";
    return;
  }
  for (int64_t index = 0; index < inner[0]; ++index) {
    if (index != 0) out += ", ";
    for (size_t i = 0; i < depth; ++i) out += index % inner[i] == 0 ? "{" : "";
    out += "{}";
    for (size_t i = 0; i < depth; ++i) out += (index + 1) % inner[i] == 0 ? "}" : "";
  }
}

template <typename T>
void append_values(const Shape& shape, std::span<const T> values, std::string& out) {
  const size_t rank = shape.dimensions().size();
  if (rank > 0 && values.empty()) return append_empty(shape.dimensions(), out);
  // Braces open and close where an index is a multiple of the inner sizes.
  std::vector<int64_t> inner(rank + 1, 1);
  for (size_t i = rank; i-- > 0;) inner[i] = inner[i + 1] * shape.dimension(i);
  for (int64_t index = 0; index < std::ssize(values); ++index) {
    if (index != 0) out += ", ";
    for (size_t i = 0; i < rank; ++i) {
      if (index % inner[i] == 0) out += '{';
    }
    append_element<T>(values[index], out);
    for (size_t i = 0; i < rank; ++i) {
      if ((index + 1) % inner[i] == 0) out += '}';
    }
  }
}

void append_array(const Literal& literal, int64_t max_elements, std::string& out) {
  const Shape& shape = literal.shape();
  if (!shape.is_array()) return;
  if (shape.element_count() > max_elements) {
    out += "{...}";
    return;
  }
  visit_array_type(shape.element_type(), [&]<typename T>() { append_values<T>(shape, literal.data<T>(), out); }, [] {});
}

}  // namespace

void append_literal(const Literal& literal, int64_t max_elements, std::string& out) {
  struct Frame {
    std::span<const Literal> elements;
    size_t next;
  };
  std::vector<Frame> open;
  const Literal* current = &literal;
  for (;;) {
    if (current->is_tuple()) {
      out += '(';
      open.push_back({current->elements(), 0});
    } else {
      append_array(*current, max_elements, out);
    }
    while (!open.empty() && open.back().next == open.back().elements.size()) {
      out += ')';
      open.pop_back();
    }
    if (open.empty()) return;
    if (open.back().next != 0) out += ", ";
    current = &open.back().elements[open.back().next++];
  }
}

}  // namespace hilo::hlo::text
