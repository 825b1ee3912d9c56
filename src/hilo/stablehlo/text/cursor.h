// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/cursor.h -- a cursor over MLIR text: white space, comments, names, numbers, strings, and errors with
// line and column.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::stablehlo {

/// Bytes that can continue a name.
inline constexpr std::array<bool, 256> kWordBytes = [] {
  std::array<bool, 256> table{};
  for (size_t c = 0; c < table.size(); ++c)
    table[c] =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.';
  return table;
}();

/// Reads forward through a text. Every read function first skips white space and comments. Names are views of the text.
class Cursor {
 public:
  /// Reads [begin, end) of the text. Positions refer to the complete text.
  Cursor(std::string_view text, std::string_view source, size_t begin = 0, size_t end = std::string_view::npos)
      : text_(text), source_(source), position_(begin), end_(end < text.size() ? end : text.size()) {}

  /// Returns a cursor over [begin, end) of the same text.
  Cursor part(size_t begin, size_t end) const { return Cursor(text_, source_, begin, end); }

  /// Returns the offset of the next token.
  size_t position() {
    skip_blanks();
    return position_;
  }
  void set_position(size_t position) { position_ = position; }
  /// Returns the offset after the last token read.
  size_t last_position() const { return position_; }
  bool at_end() { return position() >= end_; }
  std::string_view between(size_t begin, size_t end) const { return text_.substr(begin, end - begin); }
  std::string_view source() const { return source_; }
  /// Returns the text from here to the next `last`, inclusive; empty if none exists.
  std::string_view through(char last) const {
    const size_t at = text_.find(last, position_);
    return at < end_ ? between(position_, at + 1) : std::string_view();
  }

  /// Returns the next byte, or NUL at the end.
  char peek() {
    skip_blanks();
    return position_ < end_ ? text_[position_] : '\0';
  }
  /// Returns whether `token` comes next.
  bool next_is(std::string_view token) {
    skip_blanks();
    return position_ + token.size() <= end_ && std::memcmp(text_.data() + position_, token.data(), token.size()) == 0;
  }
  /// Accepts punctuation: '(', "->", "<{", ...
  bool accept(std::string_view token) {
    if (!next_is(token)) return false;
    position_ += token.size();
    return true;
  }
  /// Accepts `word` if it is a complete word.
  bool accept_word(std::string_view word);
  /// Requires `token`. `where` and `what` complete the error message: "before", "dimensions".
  Status expect(std::string_view token, std::string_view where, std::string_view what = {}) {
    return accept(token) ? ok_status() : missing(token, where, what);
  }

  /// Reads a bare identifier, [A-Za-z_][A-Za-z0-9_$.]*. Returns empty text if none exists.
  std::string_view word() {
    const size_t begin = position();
    const char first = begin < end_ ? text_[begin] : '\0';
    if (!kWordBytes[static_cast<uint8_t>(first)] || first == '$' || first == '.' || (first >= '0' && first <= '9'))
      return {};
    while (position_ < end_ && kWordBytes[static_cast<uint8_t>(text_[position_])]) ++position_;
    return {text_.data() + begin, position_ - begin};
  }
  /// Reads the name after a sigil, [A-Za-z0-9_$.-]+. Returns empty text if none exists.
  std::string_view suffix() {
    const size_t begin = position_;
    while (position_ < end_ && (kWordBytes[static_cast<uint8_t>(text_[position_])] || text_[position_] == '-'))
      ++position_;
    return {text_.data() + begin, position_ - begin};
  }
  /// Reads the text of a number: sign, digits, hexadecimal digits after 0x, fraction, exponent. Returns empty text if
  /// none exists.
  std::string_view number();
  StatusOr<int64_t> integer(std::string_view what);
  /// Reads a string in double quotes and resolves its escapes.
  StatusOr<std::string> quoted(std::string_view what);
  /// Reads `@name` or `@"name"`. Returns the name without '@'.
  StatusOr<std::string> symbol(std::string_view what);

  /// Skips from an opening bracket past the matching closing one. Strings and "->" are recognized.
  /// Errors    INVALID_ARGUMENT if brackets don't match or the text ends
  Status skip_balanced();

  /// Returns an error with the place of `position`: "m.mlir:7:3: message".
  Status error(size_t position, const std::string& message) const;
  Status error(StatusCode code, size_t position, const std::string& message) const;
  /// Returns "m.mlir:7:3: expected <wanted> <where>; got ...".
  Status unexpected(std::string_view wanted, std::string_view where);

 private:
  void skip_blanks() {
    if (position_ < end_ && text_[position_] == ' ') ++position_;
    if (position_ < end_ && (text_[position_] <= ' ' || text_[position_] == '/')) skip_more_blanks();
  }
  void skip_more_blanks();
  Status missing(std::string_view token, std::string_view where, std::string_view what);
  std::string_view text_, source_;
  size_t position_, end_;
};

}  // namespace hilo::stablehlo
