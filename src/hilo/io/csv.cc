// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/text.h"
#include "hilo/io/gzip.h"

namespace hilo::io {
namespace {

enum class Parsed { kFine, kNoNumber, kTooLarge };

// Whether a number that fits no double is too small rather than too large: by its exponent, else by its integer part.
bool is_tiny(std::string_view text) {
  const size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) return text.substr(exponent + 1).starts_with('-');
  return text.substr(0, text.find('.')).find_first_of("123456789") == std::string_view::npos;
}

template <typename T>
Parsed parse_number(std::string_view text, T& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);  // from_chars takes no plus sign
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return Parsed::kNoNumber;
  if (error == std::errc()) return Parsed::kFine;
  if (!is_tiny(text)) return Parsed::kTooLarge;
  value = text.starts_with('-') ? T(-0.0) : T(0.0);
  return Parsed::kFine;
}

// Reads one table; T is float or double.
template <typename T>
class TableReader {
 public:
  TableReader(std::string_view text, std::string_view name, const CsvOptions& options)
      : text_(text), name_(name), options_(options) {}

  StatusOr<Literal> read() {
    while (!text_.empty()) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      const std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (++line_ <= options_.skip_lines) continue;
      if (trimmed(line).empty() && trimmed(text_).empty()) break;
      HILO_RETURN_IF_ERROR(row(line));
    }
    const std::array<int64_t, 2> dimensions = {rows_, columns_};
    HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(Shape::array(element_type_of<T>, dimensions)));
    if (!values_.empty()) std::memcpy(literal.mutable_bytes().data(), values_.data(), values_.size() * sizeof(T));
    return literal;
  }

 private:
  Status row(std::string_view line) {
    const size_t before = values_.size();
    for (size_t begin = 0;;) {
      const size_t end = std::min(line.find(options_.separator, begin), line.size());
      HILO_RETURN_IF_ERROR(field(line.substr(begin, end - begin), begin));
      if (end == line.size()) break;
      begin = end + 1;
    }
    const auto count = static_cast<int64_t>(values_.size() - before);
    if (rows_++ == 0) columns_ = count;
    if (count == columns_) return ok_status();
    return invalid_argument(
        fmt::format("{}:{}: row has {} values; wanted {} as in the first row", name_, line_, count, columns_));
  }

  Status field(std::string_view text, size_t begin) {
    T value = 0;
    const std::string_view number = trimmed(text);
    const Parsed parsed = parse_number(number, value);
    if (parsed == Parsed::kFine) {
      values_.push_back(value);
      return ok_status();
    }
    const size_t column = begin + (number.empty() ? 0 : static_cast<size_t>(number.data() - text.data())) + 1;
    return invalid_argument(fmt::format("{}:{}:{}: {} {}", name_, line_, column, quote(number),
                                        parsed == Parsed::kNoNumber
                                            ? std::string("is no number")
                                            : fmt::format("does not fit {}", element_type_name(element_type_of<T>))));
  }

  std::string_view text_;
  std::string_view name_;
  const CsvOptions& options_;
  std::vector<T> values_;
  int64_t line_ = 0;
  int64_t rows_ = 0;
  int64_t columns_ = 0;
};

}  // namespace

StatusOr<Literal> parse_csv(std::string_view text, std::string_view name, const CsvOptions& options) {
  const FloatingPointScope nearest;
  if (options.type == ElementType::kF32) return TableReader<float>(text, name, options).read();
  if (options.type == ElementType::kF64) return TableReader<double>(text, name, options).read();
  return invalid_argument(fmt::format("{}: csv is read as f32 or f64; got {}. Hint: convert afterwards", name,
                                      element_type_name(options.type)));
}

StatusOr<Literal> read_csv(const std::string& path, const CsvOptions& options) {
  HILO_ASSIGN_OR_RETURN(std::string bytes, read_file(path, [&](std::string_view beginning) -> StatusOr<int64_t> {
                          if (!is_gzip(beginning) && beginning.find('\0') != std::string_view::npos)
                            return invalid_argument(fmt::format("{}: no text: it holds a NUL byte", path));
                          return options.limit;
                        }));
  if (!is_gzip(bytes)) return parse_csv(bytes, path, options);
  StatusOr<std::string> text = gunzip(bytes, options.limit);
  if (!text.ok()) return text.status().with_context(path);
  return parse_csv(*text, path, options);
}

}  // namespace hilo::io
