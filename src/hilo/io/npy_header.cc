// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/npy_header.h"

#include <fmt/format.h>

#include <optional>

#include "hilo/base/text.h"

namespace hilo::io {
namespace {

// Parses the text of the dictionary. The grammar is flat, without nesting.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  StatusOr<NpyHeader> parse() {
    HILO_RETURN_IF_ERROR(expect('{'));
    while (!accept('}')) {
      HILO_RETURN_IF_ERROR(entry());
      if (accept(',')) continue;
      HILO_RETURN_IF_ERROR(expect('}'));
      break;
    }
    skip_space();
    if (at_ != text_.size()) return error("text after the dictionary");
    if (!descr_) return error("no entry 'descr'");
    if (!fortran_order_) return error("no entry 'fortran_order'");
    if (!shape_) return error("no entry 'shape'");
    return NpyHeader{*std::move(descr_), *fortran_order_, *std::move(shape_)};
  }

 private:
  Status error(std::string_view what) const { return invalid_argument(fmt::format("header, byte {}: {}", at_, what)); }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  // Returns the next character, or NUL at the end. A NUL in the text is rejected later, because no rule accepts it.
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (at_ >= text_.size() || peek() != c) return false;
    ++at_;
    return true;
  }
  Status expect(char c) { return accept(c) ? ok_status() : error(fmt::format("wanted '{}'", c)); }

  Status entry() {
    HILO_ASSIGN_OR_RETURN(const std::string key, string());
    HILO_RETURN_IF_ERROR(expect(':'));
    const bool again =
        (key == "descr" && descr_) || (key == "fortran_order" && fortran_order_) || (key == "shape" && shape_);
    if (again) return error(fmt::format("entry '{}' appears twice", key));
    if (key == "descr") return descr();
    if (key == "fortran_order") return fortran_order();
    if (key == "shape") return shape();
    return error(fmt::format("unknown entry {}", quote(key)));
  }

  StatusOr<std::string> string() {
    const char mark = peek();
    if (mark != '\'' && mark != '"') return error("wanted a string");
    const size_t begin = at_ + 1;
    const size_t end = text_.find(mark, begin);
    if (end == std::string_view::npos) return error("a string is not terminated");
    const std::string_view value = text_.substr(begin, end - begin);
    if (value.find('\\') != std::string_view::npos) return error("a string with an escape");
    at_ = end + 1;
    return std::string(value);
  }

  Status descr() {
    if (peek() == '[' || peek() == '(') {
      return unimplemented(fmt::format("header, byte {}: structured element types have no counterpart", at_));
    }
    HILO_ASSIGN_OR_RETURN(descr_, string());
    return ok_status();
  }

  Status fortran_order() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      fortran_order_ = value;
      return ok_status();
    }
    return error("wanted True or False");
  }

  Status shape() {
    HILO_RETURN_IF_ERROR(expect('('));
    std::vector<int64_t> dimensions;
    bool comma = true;
    while (!accept(')')) {
      if (!comma) return error("wanted ',' or ')'");
      HILO_ASSIGN_OR_RETURN(const int64_t size, dimension());
      dimensions.push_back(size);
      comma = accept(',');
    }
    if (dimensions.size() == 1 && !comma) return error("wanted ',': (3) is a number, (3,) is a shape");
    shape_ = std::move(dimensions);
    return ok_status();
  }

  StatusOr<int64_t> dimension() {
    skip_space();
    size_t end = at_;
    if (end < text_.size() && text_[end] == '-') ++end;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    const std::string_view digits = text_.substr(at_, end - at_);
    const std::optional<int64_t> value = parse_int64(digits);
    if (!value && digits.empty()) return error("wanted a dimension");
    if (!value) return error(fmt::format("dimension {} does not fit int64", quote(digits)));
    if (*value < 0) return error(fmt::format("negative dimension {}", *value));
    at_ = end;
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // suffix of long integers in Python 2
    return *value;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<int64_t>> shape_;
};

}  // namespace

StatusOr<NpyHeader> parse_npy_header(std::string_view text) { return HeaderParser(text).parse(); }

std::string npy_header_text(const NpyHeader& header) {
  std::string shape;
  for (size_t i = 0; i < header.shape.size(); ++i) {
    shape += fmt::format("{}{}", i == 0 ? "" : ", ", header.shape[i]);
  }
  if (header.shape.size() == 1) shape += ",";
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", header.descr,
                     header.fortran_order ? "True" : "False", shape);
}

}  // namespace hilo::io
