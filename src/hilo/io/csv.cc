// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <type_traits>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/text.h"
#include "hilo/io/gzip.h"
#include "hilo/io/known_formats.h"

namespace hilo::io {
namespace {

enum class Parsed { kFine, kNoNumber, kTooLarge };

// Returns whether a number outside the range of double is too small rather than too large. Decided by its exponent, or
// else by its integer part.
bool is_tiny(std::string_view text) {
  const size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) return text.substr(exponent + 1).starts_with('-');
  return text.substr(0, text.find('.')).find_first_of("123456789") == std::string_view::npos;
}

template <typename T>
Parsed parse_number(std::string_view text, T& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);  // from_chars accepts no plus sign
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return Parsed::kNoNumber;
  if (error == std::errc()) return Parsed::kFine;
  if (std::is_integral_v<T> || !is_tiny(text)) return Parsed::kTooLarge;
  value = text.starts_with('-') ? T(-0.0) : T(0.0);
  return Parsed::kFine;
}

// A field and its column in the line.
struct Field {
  std::string_view text;
  size_t begin;
};

// Reads one table with elements of type T.
template <typename T>
class TableReader {
 public:
  TableReader(std::string_view text, std::string_view name, const CsvOptions& options)
      : text_(text), name_(name), options_(options) {}

  StatusOr<Literal> read() {
    drop_footer();
    while (!text_.empty() && rows_ != options_.max_rows) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (++line_ <= options_.skip_lines) continue;
      if (!options_.comments.empty()) line = line.substr(0, line.find(options_.comments));
      const bool empty = trimmed(line).empty();
      if (empty && options_.skip_empty_lines) continue;
      if (empty && trimmed(text_).empty()) break;
      HILO_RETURN_IF_ERROR(row(line));
    }
    const std::array<int64_t, 2> dimensions = {rows_, columns_};
    HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(Shape::array(element_type_of<T>, dimensions)));
    if (!values_.empty()) std::memcpy(literal.mutable_bytes().data(), values_.data(), values_.size() * sizeof(T));
    return literal;
  }

 private:
  void drop_footer() {
    for (int64_t i = 0; i < options_.skip_footer && !text_.empty(); ++i) {
      if (text_.ends_with('\n')) text_.remove_suffix(1);
      const size_t before = text_.rfind('\n');
      text_ = before == std::string_view::npos ? std::string_view() : text_.substr(0, before + 1);
    }
  }

  std::vector<Field> fields_of(std::string_view line) const {
    std::vector<Field> fields;
    if (options_.separator != kSpaces) {
      for (size_t begin = 0;;) {
        const size_t end = std::min(line.find(options_.separator, begin), line.size());
        fields.push_back({line.substr(begin, end - begin), begin});
        if (end == line.size()) return fields;
        begin = end + 1;
      }
    }
    constexpr std::string_view kBetween = " \t\r\v\f";
    for (size_t begin = line.find_first_not_of(kBetween); begin != std::string_view::npos;) {
      const size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
      fields.push_back({line.substr(begin, end - begin), begin});
      begin = line.find_first_not_of(kBetween, end);
    }
    return fields;
  }

  Status row(std::string_view line) {
    const std::vector<Field> fields = fields_of(line);
    const int64_t count = fields.size();
    if (rows_++ == 0) first_ = count;
    if (options_.columns.empty()) {
      columns_ = first_;
      for (const Field& one : fields) HILO_RETURN_IF_ERROR(field(one));
    }
    if (count != first_) {
      return invalid_argument(
          fmt::format("{}:{}: row has {} values; wanted {} as in the first row", name_, line_, count, first_));
    }
    return options_.columns.empty() ? ok_status() : chosen(fields);
  }

  // Keeps the fields that the options select.
  Status chosen(const std::vector<Field>& fields) {
    const int64_t count = fields.size();
    columns_ = std::ssize(options_.columns);
    for (int64_t column : options_.columns) {
      const int64_t place = column < 0 ? column + count : column;
      if (place < 0 || place >= count) {
        return invalid_argument(fmt::format("{}:{}: no column {}; row has {} values", name_, line_, column, count));
      }
      HILO_RETURN_IF_ERROR(field(fields[place]));
    }
    return ok_status();
  }

  Status field(const Field& one) {
    T value = 0;
    const std::string_view number = trimmed(one.text);
    const Parsed parsed = parse_number(number, value);
    if (parsed == Parsed::kFine || (parsed == Parsed::kNoNumber && options_.filling)) {
      values_.push_back(parsed == Parsed::kFine ? value : static_cast<T>(*options_.filling));
      return ok_status();
    }
    const size_t column = one.begin + (number.empty() ? 0 : static_cast<size_t>(number.data() - one.text.data())) + 1;
    return invalid_argument(fmt::format(
        "{}:{}:{}: {} {}", name_, line_, column, quote(number),
        parsed == Parsed::kNoNumber ? std::string(std::is_integral_v<T> ? "is not an integer" : "is not a number")
                                    : fmt::format("does not fit {}", element_type_name(element_type_of<T>))));
  }

  std::string_view text_;
  std::string_view name_;
  const CsvOptions& options_;
  std::vector<T> values_;
  int64_t line_ = 0;
  int64_t rows_ = 0;
  int64_t first_ = 0;  // number of values in the first row
  int64_t columns_ = 0;
};

// Accepts the types that std::from_chars can parse.
template <typename T>
constexpr bool kReadable = (std::is_arithmetic_v<T> && !std::same_as<T, bool>);

Status check(std::string_view name, const CsvOptions& options) {
  if (options.filling && !is_floating(options.type) && *options.filling != std::trunc(*options.filling)) {
    return invalid_argument(
        fmt::format("{}: {} can't replace a missing {}", name, *options.filling, element_type_name(options.type)));
  }
  return ok_status();
}

}  // namespace

StatusOr<Literal> parse_csv(std::string_view text, std::string_view name, const CsvOptions& options) {
  const FloatingPointScope nearest;
  HILO_RETURN_IF_ERROR(check(name, options));
  const auto refused = [&]() -> StatusOr<Literal> {
    return invalid_argument(fmt::format("{}: csv is read as f32, f64 or integers; got {}. Hint: convert afterwards",
                                        name, element_type_name(options.type)));
  };
  return visit_element_type(
      options.type,
      [&]<typename T>() -> StatusOr<Literal> {
        if constexpr (kReadable<T>) return TableReader<T>(text, name, options).read();
        else return refused();
      },
      refused);
}

StatusOr<Literal> read_csv(const std::string& path, const CsvOptions& options) {
  HILO_ASSIGN_OR_RETURN(std::string bytes, read_file(path, [&](std::string_view beginning) -> StatusOr<int64_t> {
                          if (is_gzip(beginning)) return options.limit;
                          if (!known_format(beginning).empty())
                            return not_this_format("a table of text", beginning).with_context(path);
                          if (beginning.find('\0') != std::string_view::npos)
                            return invalid_argument(fmt::format("{}: not a text file: it contains a NUL byte", path));
                          return options.limit;
                        }));
  if (!is_gzip(bytes) && !known_format(bytes).empty())
    return not_this_format("a table of text", bytes).with_context(path);
  if (!is_gzip(bytes)) return parse_csv(bytes, path, options);
  StatusOr<std::string> text = gunzip(bytes, options.limit);
  if (!text.ok()) return text.status().with_context(path);
  return parse_csv(*text, path, options);
}

StatusOr<std::string> csv_text(const Literal& table, char separator) {
  const Shape& shape = table.shape();
  if (!shape.is_array() || shape.rank() < 1 || shape.rank() > 2) {
    return invalid_argument(fmt::format("csv: wanted a vector or a matrix; got {}", shape.to_string()));
  }
  const int64_t rows = shape.dimension(0), columns = shape.rank() == 2 ? shape.dimension(1) : 1;
  const auto refused = [&]() -> StatusOr<std::string> {
    return unimplemented(fmt::format("csv: type {} can't be written as text. Hint: convert to f32", shape.to_string()));
  };
  return visit_element_type(
      shape.element_type(),
      [&]<typename T>() -> StatusOr<std::string> {
        if constexpr (!kReadable<T> && !std::same_as<T, float16> && !std::same_as<T, bfloat16>) {
          return refused();
        } else {
          std::string text;
          const std::span<const T> values = table.data<T>();
          for (int64_t i = 0; i < rows * columns; ++i) {
            if constexpr (std::is_integral_v<T>) text += std::to_string(values[i]);
            else if constexpr (std::same_as<T, double>) text += fmt::format("{}", values[i]);
            else text += fmt::format("{}", static_cast<float>(values[i]));
            text += (i + 1) % columns == 0 ? '\n' : separator;
          }
          return text;
        }
      },
      refused);
}

}  // namespace hilo::io
