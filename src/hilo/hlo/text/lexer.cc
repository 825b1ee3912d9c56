// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hilo/base/text.h"
#include "hilo/types/element_type.h"

namespace hilo::hlo::text {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
constexpr bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// Returns the first token of `rest`, for "got ...".
std::string first_token(std::string_view rest) {
  if (rest.empty()) return "the end of the text";
  size_t size = 0;
  if (rest[0] == '%') size = 1;
  while (size < rest.size() && is_identifier_byte(rest[size])) ++size;
  return quote(rest.substr(0, std::max<size_t>(size, 1)));
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Appends the byte of the escape sequence at text[i], after the backslash. Returns the number of bytes read.
size_t append_escaped(std::string_view text, size_t i, std::string& out) {
  const char c = text[i];
  if (is_octal(c)) {
    int value = 0;
    size_t n = 0;
    while (n < 3 && i + n < text.size() && is_octal(text[i + n])) value = value * 8 + (text[i + n++] - '0');
    out += static_cast<char>(value);
    return n;
  }
  if (c == 'x' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
    out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
    return 3;
  }
  constexpr std::string_view kLetters = "abfnrtv", kBytes = "\a\b\f\n\r\t\v";
  const size_t letter = kLetters.find(c);
  out += letter == std::string_view::npos ? c : kBytes[letter];
  return 1;
}

/// Returns whether `word` is a type of XLA, including those that hilo lacks. XLA doesn't accept them as names.
bool is_element_type_word(std::string_view word) {
  constexpr std::string_view kOthers[] = {"s1", "u1", "f6e2m3fn", "f6e3m2fn"};
  return (word != "tuple" && element_type_from_name(word)) ||
         std::find(std::begin(kOthers), std::end(kOthers), word) != std::end(kOthers);
}

}  // namespace

Cursor Cursor::part(size_t begin, size_t end) const {
  Cursor part = *this;
  part.text_ = text_.substr(0, end);
  part.position_ = begin;
  return part;
}

void Cursor::skip_more_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (is_blank(c)) {
      ++position_;
    } else if (c == '/' && position_ + 1 < text_.size() && text_[position_ + 1] == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && position_ + 1 < text_.size() && text_[position_ + 1] == '*') {
      const size_t end = text_.find("*/", position_ + 2);
      position_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      return;
    }
  }
}

bool Cursor::accept_word(std::string_view word) {
  const size_t begin = position();
  if (identifier() == word) return true;
  position_ = begin;
  return false;
}

Status Cursor::missing(char expected, std::string_view where, std::string_view what) {
  return unexpected(fmt::format("'{}'", expected), fmt::format("{}{}{}", where, what.empty() ? "" : " ", what));
}

std::string_view Cursor::identifier() {
  const size_t begin = position();
  size_t end = begin;
  while (end < text_.size() && is_identifier_byte(text_[end])) {
    if (text_[end] == '-' && end + 1 < text_.size() && text_[end + 1] == '>') break;
    ++end;
  }
  position_ = end;
  return text_.substr(begin, end - begin);
}

StatusOr<std::string_view> Cursor::name(std::string_view what) {
  const size_t begin = position();
  if (position_ < text_.size() && text_[position_] == '%') ++position_;
  const bool blank_after_percent = position_ < text_.size() && is_blank(text_[position_]) && position_ > begin;
  const std::string_view name = blank_after_percent ? std::string_view() : identifier();
  if (!name.empty()) return name;
  position_ = begin;
  return unexpected(what, "");
}

StatusOr<int64_t> Cursor::integer(std::string_view what) {
  const size_t begin = position();
  int64_t value = 0;
  const char* const end = text_.data() + text_.size();
  const auto [stop, status] = std::from_chars(text_.data() + begin, end, value);
  if (status == std::errc::invalid_argument) return unexpected(what, "(an integer)");
  const size_t size = stop - (text_.data() + begin);
  if (status == std::errc::result_out_of_range) {
    return error(begin, fmt::format("{} {} does not fit int64", what, quote(text_.substr(begin, size))));
  }
  position_ = begin + size;
  return value;
}

StatusOr<bool> Cursor::boolean(std::string_view what) {
  if (accept_word("true") || accept_word("1")) return true;
  if (accept_word("false") || accept_word("0")) return false;
  return unexpected("true or false", fmt::format("for {}", what));
}

StatusOr<std::string> Cursor::quoted(std::string_view what) {
  const size_t begin = position();
  const char quote = peek();
  if (quote != '"' && quote != '\'') return unexpected(what, "(a string in quotes)");
  std::string value;
  for (size_t i = begin + 1; i < text_.size();) {
    const char c = text_[i++];
    if (c == quote) {
      position_ = i;
      return value;
    }
    if (c == '\\' && i < text_.size()) {
      i += append_escaped(text_, i, value);
    } else {
      value += c;
    }
  }
  return error(begin, fmt::format("{}: the string has no closing quote", what));
}

Status Cursor::skip_string() {
  const size_t begin = position_;
  const char quote = text_[begin];
  for (size_t i = begin + 1; i < text_.size(); ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      position_ = i + 1;
      return ok_status();
    }
  }
  return error(begin, "the string has no closing quote");
}

StatusOr<std::string_view> Cursor::raw_value(std::string_view what) {
  const size_t begin = position();
  int depth = 0;
  bool at_value = true;  // a single quote begins a string only at a value; elsewhere JSON has it only inside strings
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '"' || (c == '\'' && at_value)) {
      at_value = false;
      HILO_RETURN_IF_ERROR(skip_string());
      continue;
    }
    if (depth == 0 && (c == ',' || c == '\n' || c == '}')) break;
    if (c == '{' || c == '[' || c == '(') {
      if (++depth > max_nesting_)
        return error(position_, fmt::format("nesting deeper than {}. Hint: max_nesting", max_nesting_));
    } else if (c == '}' || c == ']' || c == ')') {
      if (--depth < 0) break;
    }
    at_value = c == '=' || (at_value && is_blank(c));
    ++position_;
  }
  if (depth > 0) return error(begin, fmt::format("{}: the value has no closing bracket", what));
  return trimmed(text_.substr(begin, position_ - begin));
}

std::string Cursor::place(size_t position) const {
  const std::string_view before = text_.substr(0, std::min(position, text_.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("{}:{}:{}", source_, line, before.size() - line_begin + 1);
}

Status Cursor::error(size_t position, const std::string& message) const {
  return error(StatusCode::kInvalidArgument, position, message);
}

Status Cursor::error(StatusCode code, size_t position, const std::string& message) const {
  return Status(code, place(position) + ": " + message);
}

Status Cursor::unexpected(std::string_view expected, std::string_view where) {
  const size_t at = position();
  return error(at, fmt::format("expected {}{}{}; got {}", expected, where.empty() ? "" : " ", where,
                               first_token(text_.substr(at))));
}

bool is_plain_identifier(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_identifier_byte) && name.front() != '-' && name.back() != '-';
}

namespace {

/// Returns whether the text begins like XLA's names after a '%'.
bool begins_as_name(std::string_view name) {
  const char first = name.empty() ? '\0' : name.front();
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return is_plain_identifier(name) && begins_as_name(name) && !is_element_type_word(name) &&
         (!name.starts_with("__") || name.starts_with("__xla_"));
}

std::string plain_name(std::string_view name) {
  if (is_plain_name(name)) return std::string(name);
  std::string result(name);
  for (char& c : result) c = is_identifier_byte(c) ? c : '_';
  if (!is_plain_identifier(result)) result = "_" + result + "_";
  if (result.starts_with("__")) result.front() = 'a';
  if (is_element_type_word(result)) result += '_';
  return is_plain_name(result) ? result : "_" + result;
}

std::string plain_computation_name(std::string_view name) {
  return is_plain_identifier(name) && begins_as_name(name) ? std::string(name) : plain_name(name);
}

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace hilo::hlo::text
