// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

namespace hilo {
namespace {

/// Returns the positions to print along an axis, `edge` at each end; -1 means "...".
std::vector<int64_t> shown(int64_t extent, bool shorten, int64_t edge) {
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < extent; ++i) {
    if (shorten && extent > 2 * edge && i == edge) {
      positions.push_back(-1);
      i = extent - edge;
      if (i == extent) break;
    }
    positions.push_back(i);
  }
  return positions;
}

/// The parts of a printed number: "-1", "5" and "+08" of -1.5e+08. "nan" and "-inf" have one part.
struct Digits {
  std::string whole, fraction, exponent;
};

/// The style of a column of numbers: real numbers, or the real or imaginary parts of complex ones.
struct NumberStyle {
  bool wide = false;   ///< f64; narrower types print the digits of an f32
  bool signs = false;  ///< prints + before non-negative numbers
  bool exponent = false;
  int precision = 8;  ///< maximum number of digits after the point
  /// numbers from this magnitude on need an exponent, because they exceed the digits of their type
  double exponent_from = 1e8;
};

Digits taken_apart(std::string_view text) {
  Digits out;
  const size_t e = std::min(text.find('e'), text.size());
  if (e < text.size()) out.exponent = text.substr(e + 1);
  const size_t point = std::min(text.find('.'), e);
  out.whole = text.substr(0, point);
  if (point < e) out.fraction = text.substr(point + 1, e - point - 1);
  return out;
}

/// Returns the fewest digits that read back as the same number.
std::string shortest(double value, const NumberStyle& style) {
  std::array<char, 400> buffer;
  const auto format = style.exponent ? std::chars_format::scientific : std::chars_format::fixed;
  char* const end = buffer.data() + buffer.size();
  const auto done = style.wide ? std::to_chars(buffer.data(), end, value, format)
                               : std::to_chars(buffer.data(), end, static_cast<float>(value), format);
  return {buffer.data(), done.ptr};
}

/// Returns the fewest digits, limited to the style's precision.
Digits digits_of(double value, const NumberStyle& style) {
  const std::string sign = style.signs && !std::signbit(value) ? "+" : "";
  if (std::isnan(value)) return {style.signs ? "+nan" : "nan", "", ""};
  if (std::isinf(value)) return {value < 0 ? "-inf" : sign + "inf", "", ""};
  Digits out = taken_apart(shortest(value, style));
  if (out.fraction.size() > static_cast<size_t>(style.precision)) {
    out = taken_apart(style.exponent ? fmt::format("{:.{}e}", value, style.precision)
                                     : fmt::format("{:.{}f}", value, style.precision));
    out.fraction.erase(out.fraction.find_last_not_of('0') + 1);
  }
  out.whole = sign + out.whole;
  return out;
}

/// All numbers of an array, or their imaginary parts: points are aligned, and if one number needs an exponent, all have
/// it.
class Column {
 public:
  Column(const std::vector<double>& values, NumberStyle style, bool suppress) : style_(style) {
    style_.exponent = needs_exponent(values, style, suppress);
    for (double value : values)
      if (std::isfinite(value)) see(digits_of(value, style_));
    if (style_.exponent) right_ += exponent_ + 1;
    for (double value : values)
      if (!std::isfinite(value)) left_ = std::max(left_, less(digits_of(value, style_).whole.size(), right_ + 1));
  }

  std::string text(double value) const {
    Digits digits = digits_of(value, style_);
    if (!std::isfinite(value)) return std::string(less(left_ + right_ + 1, digits.whole.size()), ' ') + digits.whole;
    std::string out = std::string(left_ - digits.whole.size(), ' ') + digits.whole + "." + digits.fraction;
    if (!style_.exponent) return out + std::string(right_ - digits.fraction.size(), ' ');
    const std::string zeros(fraction_ - digits.fraction.size(), '0');
    const std::string more(exponent_ - digits.exponent.size(), '0');
    return out + zeros + "e" + digits.exponent.substr(0, 1) + more + digits.exponent.substr(1);
  }

 private:
  static size_t less(size_t a, size_t b) { return a - std::min(a, b); }
  static bool needs_exponent(const std::vector<double>& values, const NumberStyle& style, bool suppress) {
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (double value : values) {
      if (!std::isfinite(value) || value == 0) continue;
      largest = std::max(largest, std::abs(value));
      smallest = std::min(smallest, std::abs(value));
    }
    return largest >= style.exponent_from ||
           (!suppress && largest > 0 && (smallest < 1e-4 || largest / smallest > 1000));
  }
  void see(const Digits& digits) {
    left_ = std::max(left_, digits.whole.size());
    right_ = fraction_ = std::max(fraction_, digits.fraction.size());
    exponent_ = std::max(exponent_, digits.exponent.size());
  }

  NumberStyle style_;
  size_t left_ = 0, right_ = 0, fraction_ = 0, exponent_ = 0;
};

/// Returns the text of a single number: "2.0", "1e-10", "nan".
std::string scalar_text(double value, const NumberStyle& style) {
  const double magnitude = std::abs(value);
  const bool exponent = std::isfinite(value) && magnitude != 0 && (magnitude >= 1e16 || magnitude < 1e-4);
  const Digits digits = digits_of(value, {style.wide, style.signs, exponent, style.precision, 0});
  if (!std::isfinite(value)) return digits.whole;
  if (exponent) return digits.whole + (digits.fraction.empty() ? "" : ".") + digits.fraction + "e" + digits.exponent;
  return digits.whole + "." + (digits.fraction.empty() ? "0" : digits.fraction);
}

/// Returns the text of a single complex number, as in Python: "(1+2j)", "2.5j".
std::string scalar_text(std::complex<double> value, NumberStyle style) {
  const auto part = [&](double x) {
    const std::string text = scalar_text(x, style);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  };
  if (value.real() == 0 && !std::signbit(value.real())) return part(value.imag()) + "j";
  const std::string real = part(value.real());
  style.signs = true;
  return "(" + real + part(value.imag()) + "j)";
}

class Printer {
 public:
  Printer(const Literal& literal, const PrintOptions& options, std::string_view separator, size_t indent)
      : literal_(literal),
        options_(options),
        separator_(separator),
        indent_(indent),
        type_(literal.shape().element_type()),
        strides_(row_major_strides(literal.shape().dimensions())),
        shorten_(literal.shape().element_count() > options.threshold) {
    std::vector<double> real, imag;
    visit(0, 0, [&](int64_t offset) {
      if (is_floating(type_) || is_complex(type_)) {
        const std::complex<double> value = number(offset);
        real.push_back(value.real());
        imag.push_back(value.imag());
      } else {
        width_ = std::max(width_, plain_text(offset).size());
      }
    });
    real_ = Column(real, style(), options.suppress);
    imag_ = Column(imag, imaginary_style(), options.suppress);
  }

  std::string text() const {
    if (literal_.shape().element_count() == 0) return "[]";
    std::string out;
    print(0, 0, out);
    return out;
  }

 private:
  NumberStyle style() const {
    const bool wide = type_ == ElementType::kF64 || type_ == ElementType::kC128;
    return {.wide = wide,
            .precision = options_.precision,
            .exponent_from = wide                         ? 1e8
                             : type_ == ElementType::kF16 ? 1e3
                                                          : 1e6};
  }
  NumberStyle imaginary_style() const {
    NumberStyle out = style();
    out.signs = true;
    return out;
  }
  /// Returns a float or a complex number.
  std::complex<double> number(int64_t offset) const {
    if (is_floating(type_)) return element_as_double(literal_, offset);
    const std::byte* at = literal_.bytes().data() + offset * element_size_bytes(type_);
    if (type_ == ElementType::kC128) return value_at<std::complex<double>>(at);
    return std::complex<double>(value_at<std::complex<float>>(at));
  }
  template <typename T>
  static T value_at(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  /// Returns the text of an integer or a boolean.
  std::string plain_text(int64_t offset) const {
    std::string text = element_to_string(type_, literal_.bytes().data() + offset * element_size_bytes(type_));
    if (type_ == ElementType::kPred) text[0] = text == "true" ? 'T' : 'F';
    return text;
  }

  std::string element(int64_t offset) const {
    const bool scalar = literal_.shape().rank() == 0;
    if (is_floating(type_)) {
      const double value = element_as_double(literal_, offset);
      return scalar ? scalar_text(value, style()) : real_.text(value);
    }
    if (!is_complex(type_)) {
      const std::string text = plain_text(offset);
      return std::string(width_ - text.size(), ' ') + text;
    }
    const std::complex<double> value = number(offset);
    if (scalar) return scalar_text(value, style());
    std::string imag = imag_.text(value.imag());  // the j follows the last digit
    imag.insert(imag.find_last_not_of(' ') + 1, 1, 'j');
    return real_.text(value.real()) + imag;
  }

  template <typename Visit>
  void visit(int64_t axis, int64_t offset, const Visit& see) {
    if (axis == literal_.shape().rank()) return see(offset);
    for (int64_t i : shown(literal_.shape().dimension(axis), shorten_, options_.edgeitems)) {
      if (i >= 0) visit(axis + 1, offset + i * strides_[axis], see);
    }
  }

  std::string margin(int64_t axis) const { return std::string(indent_ + static_cast<size_t>(axis + 1), ' '); }

  /// Prints the last axis; breaks lines before NumPy's last column.
  void print_row(int64_t axis, int64_t offset, std::string& out) const {
    const size_t begin = indent_ + static_cast<size_t>(axis + 1);
    const size_t width = kLineWidth - (separator_ == " " ? 0 : 1);  // array_repr adds a comma after the bracket
    const size_t limit = width - static_cast<size_t>(axis) - 1;
    size_t column = begin;
    bool first = true;
    for (int64_t i : shown(literal_.shape().dimension(axis), shorten_, options_.edgeitems)) {
      if (!first) {
        out += separator_;
        column += separator_.size();
      }
      first = false;
      const std::string word = i < 0 ? "..." : element(offset + i * strides_[axis]);
      if (column > begin && column + word.size() > limit) {
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n' + margin(axis);
        column = begin;
      }
      out += word;
      column += word.size();
    }
  }

  void print(int64_t axis, int64_t offset, std::string& out) const {
    const int64_t rank = literal_.shape().rank();
    if (axis == rank) {
      out += element(offset);
      return;
    }
    out += '[';
    if (axis + 1 == rank) print_row(axis, offset, out);
    else print_slices(axis, offset, out);
    out += ']';
  }
  void print_slices(int64_t axis, int64_t offset, std::string& out) const {
    const size_t lines = literal_.shape().rank() - axis - 1;
    bool first = true;
    for (int64_t i : shown(literal_.shape().dimension(axis), shorten_, options_.edgeitems)) {
      if (!first) {
        out += separator_.substr(0, separator_.size() - 1);
        out += std::string(lines, '\n') + margin(axis);
      }
      first = false;
      if (i < 0) out += "...";
      else print(axis + 1, offset + i * strides_[axis], out);
    }
  }

  static constexpr size_t kLineWidth = 75;

  const Literal& literal_;
  const PrintOptions& options_;
  std::string_view separator_;
  size_t indent_;
  ElementType type_;
  std::vector<int64_t> strides_;
  bool shorten_;
  Column real_{{}, {}, false}, imag_{{}, {}, false};
  size_t width_ = 0;
};

}  // namespace

PrintOptions& print_options() {
  thread_local PrintOptions options;
  return options;
}

std::string numpy_text(const Literal& literal, const PrintOptions& options, std::string_view separator, size_t indent) {
  return Printer(literal, options, separator, indent).text();
}

}  // namespace hilo
