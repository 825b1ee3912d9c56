// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace hilo {
namespace {

/// Positions shown along an axis, of which `edge` at each end; -1 stands for "...".
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

/// A float with a point, without trailing zeros: "1.", "0.5", "1e-10", "nan".
std::string float_text(double value, bool exponent, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (exponent) return fmt::format("{:.{}e}", value, precision);
  std::string text = fmt::format("{:.{}f}", value, precision);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

/// How all floats of one array are written: with the digits that the most demanding one needs.
class FloatFormat {
 public:
  void see(double value) {
    if (!std::isfinite(value)) return;
    const double magnitude = std::abs(value);
    if (magnitude == 0) return;
    largest_ = std::max(largest_, magnitude);
    smallest_ = std::min(smallest_, magnitude);
  }
  bool exponent() const { return largest_ >= 1e16 || smallest_ < 1e-4; }

 private:
  double largest_ = 0;
  double smallest_ = 1;
};

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
    visit(0, 0, [&](int64_t offset) {
      if (is_floating(type_)) format_.see(element_as_double(literal_, offset));
    });
    visit(0, 0, [&](int64_t offset) { align(element(offset)); });
    left_ = std::max(left_, word_ - std::min(word_, right_));
  }

  std::string text() {
    if (literal_.shape().element_count() == 0) return "[]";
    std::string out;
    print(0, 0, out);
    return out;
  }

 private:
  std::string element(int64_t offset) const {
    if (is_floating(type_)) return short_float(element_as_double(literal_, offset));
    std::string text = element_to_string(type_, literal_.bytes().data() + offset * element_size_bytes(type_));
    if (type_ == ElementType::kPred) text[0] = text == "true" ? 'T' : 'F';
    return text;
  }

  /// f32 and narrower show the shortest digits that read back; at most `precision` of them after the point.
  std::string short_float(double value) const {
    const bool exponent = format_.exponent() && !options_.suppress;
    if (exponent || !std::isfinite(value)) return float_text(value, exponent, options_.precision);
    std::string text =
        type_ == ElementType::kF64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
    const size_t point = text.find('.');
    if (text.find('e') != std::string::npos ||
        (point != std::string::npos && text.size() - point - 1 > static_cast<size_t>(options_.precision))) {
      return float_text(value, false, options_.precision);
    }
    const bool scalar = literal_.shape().rank() == 0;  // 2.0 alone, 2. among others
    if (point == std::string::npos) return text + (scalar ? ".0" : ".");
    return !scalar && text.ends_with(".0") ? text.substr(0, text.size() - 1) : text;
  }

  /// Left and right of the point are aligned apart, so that points stand in a column.
  void align(const std::string& text) {
    if (is_word(text)) word_ = std::max(word_, text.size());
    if (is_word(text)) return;
    const size_t point = std::min(text.find('.'), text.size());
    left_ = std::max(left_, point);
    right_ = std::max(right_, text.size() - point);
  }
  /// nan and inf among floats have no point: they end where the others do.
  bool is_word(const std::string& text) const { return is_floating(type_) && text.find('.') == std::string::npos; }
  std::string padded(const std::string& text) const {
    if (literal_.shape().rank() == 0) return text;
    if (is_word(text)) return std::string(left_ + right_ - text.size(), ' ') + text;
    const size_t point = std::min(text.find('.'), text.size());
    return std::string(left_ - std::min(left_, point), ' ') + text +
           std::string(right_ - std::min(right_, text.size() - point), ' ');
  }

  template <typename Visit>
  void visit(int64_t axis, int64_t offset, const Visit& see) {
    if (axis == literal_.shape().rank()) return see(offset);
    for (int64_t i : shown(literal_.shape().dimension(axis), shorten_, options_.edgeitems)) {
      if (i >= 0) visit(axis + 1, offset + i * strides_[static_cast<size_t>(axis)], see);
    }
  }

  void print(int64_t axis, int64_t offset, std::string& out) const {
    const int64_t rank = literal_.shape().rank();
    if (axis == rank) {
      out += padded(element(offset));
      return;
    }
    out += '[';
    bool first = true;
    for (int64_t i : shown(literal_.shape().dimension(axis), shorten_, options_.edgeitems)) {
      if (!first)
        out += axis + 1 == rank ? std::string(separator_)
                                : std::string(separator_.substr(0, separator_.size() - 1)) +
                                      std::string(static_cast<size_t>(rank - axis - 1), '\n') +
                                      std::string(indent_ + static_cast<size_t>(axis + 1), ' ');
      first = false;
      if (i < 0) out += "...";
      else print(axis + 1, offset + i * strides_[static_cast<size_t>(axis)], out);
    }
    out += ']';
  }

  const Literal& literal_;
  const PrintOptions& options_;
  std::string_view separator_;
  size_t indent_;
  ElementType type_;
  std::vector<int64_t> strides_;
  bool shorten_;
  FloatFormat format_;
  size_t left_ = 0, right_ = 0, word_ = 0;
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
