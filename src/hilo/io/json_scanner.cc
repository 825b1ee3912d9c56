// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/json_scanner.h"

#include <fmt/format.h>

#include <optional>

#include "hilo/base/json.h"
#include "hilo/base/text.h"

namespace hilo::io {
namespace {

void append_utf8(std::string& out, uint32_t code) {
  const auto byte = [&](uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 0x3f)), byte(0x80 | (code >> 6 & 0x3f)),
        byte(0x80 | (code & 0x3f));
  }
}

}  // namespace

Status JsonScanner::error(std::string_view what) const {
  return invalid_argument(fmt::format("byte {}: {}", at_, what));
}

void JsonScanner::skip_space() {
  while (at_ < text_.size() && std::string_view(" \n\t\r").find(text_[at_]) != std::string_view::npos) ++at_;
}

bool JsonScanner::accept(char c) {
  skip_space();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

Status JsonScanner::expect(char c) { return accept(c) ? ok_status() : error(fmt::format("wanted '{}'", c)); }

bool JsonScanner::accept_word(std::string_view word) {
  skip_space();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

StatusOr<std::string_view> JsonScanner::number() {
  skip_space();
  const auto is_digit = [&](size_t at) { return at < text_.size() && text_[at] >= '0' && text_[at] <= '9'; };
  const auto is_one_of = [&](size_t at, std::string_view wanted) {
    return at < text_.size() && wanted.find(text_[at]) != std::string_view::npos;
  };
  size_t end = is_one_of(at_, "-") ? at_ + 1 : at_;
  const bool begins_with_zero = is_one_of(end, "0") && is_digit(end + 1);
  if (!is_digit(end) || begins_with_zero) return error("wanted a number");
  while (is_digit(end)) ++end;
  for (const std::string_view part : {".", "eE"}) {
    if (!is_one_of(end, part)) continue;
    ++end;
    if (part == "eE" && is_one_of(end, "+-")) ++end;
    if (!is_digit(end)) return error("wanted a digit");
    while (is_digit(end)) ++end;
  }
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

Status JsonScanner::end() {
  skip_space();
  return at_ == text_.size() ? ok_status() : error("text after the end");
}

StatusOr<uint32_t> JsonScanner::four_digits() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return error("wanted four hexadecimal digits");
    code = code << 4 | static_cast<uint32_t>(digit);
  }
  return code;
}

// Reads the part of an escape sequence after the backslash.
Status JsonScanner::escape(std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (const size_t known = kLetters.find(c); c != '\0' && known != std::string_view::npos) {
    out += kMeanings[known];
    ++at_;
    return ok_status();
  }
  if (c != 'u') return error("unknown escape in a string");
  ++at_;
  HILO_ASSIGN_OR_RETURN(uint32_t code, four_digits());
  if (code >= 0xd800 && code < 0xdc00) {  // high surrogate
    if (text_.substr(at_, 2) != "\\u") return error("half a surrogate pair in a string");
    at_ += 2;
    HILO_ASSIGN_OR_RETURN(const uint32_t low, four_digits());
    if (low < 0xdc00 || low > 0xdfff) return error("half a surrogate pair in a string");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return error("half a surrogate pair in a string");
  }
  append_utf8(out, code);
  return ok_status();
}

StatusOr<std::string> JsonScanner::string() {
  if (!accept('"')) return error("wanted a string");
  std::string out;
  while (true) {
    if (at_ >= text_.size()) return error("a string is not terminated");
    const char c = text_[at_];
    if (c == '"') break;
    if (static_cast<unsigned char>(c) < 0x20) return error("a control character in a string");
    if (c == '\\') {
      ++at_;
      HILO_RETURN_IF_ERROR(escape(out));
      continue;
    }
    const size_t length = utf8_length(text_.substr(at_));
    if (length == 0) return error("a string that isn't UTF-8");
    out.append(text_.substr(at_, length));
    at_ += length;
  }
  ++at_;
  return out;
}

StatusOr<int64_t> JsonScanner::natural() {
  skip_space();
  size_t end = at_;
  while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
  const std::string_view digits = text_.substr(at_, end - at_);
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return error("wanted an integer >= 0");
  const std::optional<int64_t> value = parse_int64(digits);
  if (!value) return error(fmt::format("{} does not fit int64", quote(digits)));
  at_ = end;
  return *value;
}

}  // namespace hilo::io
