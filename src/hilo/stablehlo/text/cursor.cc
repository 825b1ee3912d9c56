// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hilo/base/text.h"

namespace hilo::stablehlo {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr char closing(char open) {
  switch (open) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return '\0';
  }
}

}  // namespace

void Cursor::skip_more_blanks() {
  while (position_ < end_) {
    const char c = text_[position_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '/' && position_ + 1 < end_ && text_[position_ + 1] == '/') {
      const size_t line_end = text_.find('\n', position_);
      position_ = std::min(line_end, end_);
    } else {
      return;
    }
  }
}

bool Cursor::accept_word(std::string_view wanted) {
  const size_t begin = position();
  if (word() == wanted) return true;
  position_ = begin;
  return false;
}

Status Cursor::missing(std::string_view token, std::string_view where, std::string_view what) {
  return unexpected(fmt::format("'{}'", token), fmt::format("{}{}{}", where, what.empty() ? "" : " ", what));
}

std::string_view Cursor::number() {
  const size_t begin = position();
  size_t p = begin;
  if (p < end_ && text_[p] == '-') ++p;
  const size_t digits = p;
  if (p + 1 < end_ && text_[p] == '0' && text_[p + 1] == 'x' && p + 2 < end_ && hex_value(text_[p + 2]) >= 0) {
    p += 2;
    while (p < end_ && hex_value(text_[p]) >= 0) ++p;
  } else {
    while (p < end_ && is_digit(text_[p])) ++p;
    if (p == digits) return {};
    if (p < end_ && text_[p] == '.') {
      ++p;
      while (p < end_ && is_digit(text_[p])) ++p;
      size_t e = p;
      if (e < end_ && (text_[e] == 'e' || text_[e] == 'E')) {
        ++e;
        if (e < end_ && (text_[e] == '+' || text_[e] == '-')) ++e;
        if (e < end_ && is_digit(text_[e])) {
          while (e < end_ && is_digit(text_[e])) ++e;
          p = e;
        }
      }
    }
  }
  position_ = p;
  return text_.substr(begin, p - begin);
}

StatusOr<int64_t> Cursor::integer(std::string_view what) {
  const size_t begin = position();
  std::string_view text = number();
  if (text.empty()) return unexpected("an integer", fmt::format("for {}", what));
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), magnitude, hexadecimal ? 16 : 10);
  const uint64_t most = (uint64_t{1} << 63) - (negative ? 0 : 1);
  if (failure != std::errc() || end != text.data() + text.size() || magnitude > most)
    return error(begin, fmt::format("{} {} is not a 64-bit integer", what, quote(between(begin, position_))));
  return negative ? static_cast<int64_t>(0 - magnitude) : static_cast<int64_t>(magnitude);
}

StatusOr<std::string> Cursor::quoted(std::string_view what) {
  const size_t begin = position();
  if (!accept("\"")) return unexpected("a string", fmt::format("for {}", what));
  std::string value;
  while (position_ < end_ && text_[position_] != '\n') {
    const char c = text_[position_++];
    if (c == '"') return value;
    if (c != '\\') {
      value += c;
      continue;
    }
    const char escaped = position_ < end_ ? text_[position_++] : '\0';
    if (escaped == 'n') value += '\n';
    else if (escaped == 't') value += '\t';
    else if (escaped == '\\' || escaped == '"') value += escaped;
    else {
      const int high = hex_value(escaped), low = position_ < end_ ? hex_value(text_[position_]) : -1;
      if (high < 0 || low < 0) return error(position_ - 1, "unknown escape in a string");
      ++position_;
      value += static_cast<char>(high * 16 + low);
    }
  }
  return error(begin, "this string is not terminated");
}

StatusOr<std::string> Cursor::symbol(std::string_view what) {
  if (!accept("@")) return unexpected("'@name'", fmt::format("for {}", what));
  if (position_ < end_ && text_[position_] == '"') return quoted(what);
  const std::string_view name = suffix();
  if (name.empty()) return unexpected("a name after '@'", fmt::format("for {}", what));
  return std::string(name);
}

Status Cursor::skip_balanced() {
  const size_t begin = position();
  std::string open;
  do {
    if (position_ >= end_) return error(begin, "this bracket is not closed");
    const char c = text_[position_];
    if (c == '"') {
      // Long strings of hexadecimal digits are skipped without a copy.
      size_t p = position_ + 1;
      while (p < end_ && text_[p] != '"') p += text_[p] == '\\' ? 2 : 1;
      if (p >= end_) return error(position_, "this string is not terminated");
      position_ = p + 1;
      continue;
    }
    if (c == '-' && position_ + 1 < end_ && text_[position_ + 1] == '>') {
      position_ += 2;
      continue;
    }
    if (c == '/' && position_ + 1 < end_ && text_[position_ + 1] == '/') {
      skip_blanks();
      continue;
    }
    if (closing(c) != '\0') {
      open += closing(c);
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (open.empty() || open.back() != c) return error(position_, fmt::format("'{}' closes no bracket", c));
      open.pop_back();
    } else if (open.empty()) {
      return unexpected("an opening bracket", "here");
    }
    ++position_;
  } while (!open.empty());
  return ok_status();
}

Status Cursor::error(size_t position, const std::string& message) const {
  return error(StatusCode::kInvalidArgument, position, message);
}

Status Cursor::error(StatusCode code, size_t position, const std::string& message) const {
  const std::string_view before = text_.substr(0, std::min(position, text_.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') + 1;  // 0 if none exists
  return Status(code, fmt::format("{}:{}:{}: {}", source_, line, before.size() - line_begin + 1, message));
}

Status Cursor::unexpected(std::string_view wanted, std::string_view where) {
  const size_t begin = position();
  std::string_view got = between(begin, std::min(end_, begin + 24));
  got = got.substr(0, got.find('\n'));
  return error(
      begin, fmt::format("expected {} {}; got {}", wanted, where, begin >= end_ ? std::string("the end") : quote(got)));
}

}  // namespace hilo::stablehlo
