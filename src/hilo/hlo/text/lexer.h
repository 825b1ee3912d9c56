// SPDX-License-Identifier: Apache-2.0
// hlo/text/lexer.h -- a cursor over HLO text: blanks, comments, names, numbers, strings, errors with line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::hlo::text {

/// The nesting of tuples, braces and computations that is allowed by default, and the hard limit for callers.
inline constexpr int kDefaultMaxNesting = 256;
inline constexpr int kHardMaxNesting = 4096;

/// Reads forward through one text. Every reading function first skips blanks and comments. Nothing is copied: names are
/// views of the text. Positions are byte offsets; lines and columns are only computed for errors.
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view source, int max_nesting = kDefaultMaxNesting)
      : text_(text), source_(source), max_nesting_(max_nesting < kHardMaxNesting ? max_nesting : kHardMaxNesting) {}

  /// Returns a cursor of the same text and source that reads only [begin, end).
  Cursor part(size_t begin, size_t end) const;

  /// Returns the offset of the next byte that is neither blank nor comment.
  size_t position() {
    skip_blanks();
    return position_;
  }
  void set_position(size_t position) { position_ = position; }
  bool at_end() { return position() >= text_.size(); }
  std::string_view between(size_t begin, size_t end) const { return text_.substr(begin, end - begin); }
  /// Returns the offset of `view`, a part of the text.
  size_t offset_of(std::string_view view) const { return view.data() - text_.data(); }
  int max_nesting() const { return max_nesting_; }

  /// Returns the next byte, or NUL at the end. No caller accepts a NUL, so one in the text is an error, too.
  char peek() {
    skip_blanks();
    return next_byte();
  }
  /// Returns the byte after the last one read, even if it is blank; NUL at the end.
  char next_byte() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  /// Returns the offset after the last byte read.
  size_t last_position() const { return position_; }
  bool accept(char expected) {
    skip_blanks();
    if (position_ >= text_.size() || text_[position_] != expected) return false;
    ++position_;
    return true;
  }
  /// Accepts `text`, whatever follows it.
  bool accept_text(std::string_view text) {
    if (between(position(), position_ + text.size()) != text) return false;
    position_ += text.size();
    return true;
  }
  /// Accepts `word` if it is a whole name.
  bool accept_word(std::string_view word);
  /// Accepts the character `expected`. `where` and `what` are for the error: "before", "dimensions".
  Status expect(char expected, std::string_view where, std::string_view what = {}) {
    return accept(expected) ? ok_status() : missing(expected, where, what);
  }

  /// Reads letters, digits, '_', '.', '-' (but not the '-' of "->"); empty if none exist.
  std::string_view identifier();
  /// Reads an identifier with an optional '%' before it.
  StatusOr<std::string_view> name(std::string_view what);
  /// Reads a decimal integer.
  /// Errors    INVALID_ARGUMENT for anything else; "<what> '9...' does not fit int64"
  StatusOr<int64_t> integer(std::string_view what);
  StatusOr<bool> boolean(std::string_view what);
  /// Reads a string in double or single quotes and resolves escapes.
  StatusOr<std::string> quoted(std::string_view what);
  /// Reads the value of `key=...` as written: up to a comma, closing brace or line end outside all braces and quotes.
  StatusOr<std::string_view> raw_value(std::string_view what);

  /// Returns a position as text: "m.hlo:7:3".
  std::string place(size_t position) const;
  /// Returns an error that names `position`: "m.hlo:7:3: message".
  Status error(size_t position, const std::string& message) const;
  Status error(StatusCode code, size_t position, const std::string& message) const;
  /// Returns the error "m.hlo:7:3: expected <expected> <where>; got ...".
  Status unexpected(std::string_view expected, std::string_view where);

 private:
  void skip_blanks() {
    if (position_ < text_.size() && text_[position_] == ' ') ++position_;
    if (position_ < text_.size() && (text_[position_] <= ' ' || text_[position_] == '/')) skip_more_blanks();
  }
  void skip_more_blanks();
  Status missing(char expected, std::string_view where, std::string_view what);
  Status skip_string();
  std::string_view text_;
  std::string_view source_;
  size_t position_ = 0;
  int max_nesting_;
};

constexpr bool is_identifier_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

/// Returns whether `word` is a single identifier of HLO text.
bool is_plain_identifier(std::string_view word);

/// Returns whether XLA accepts `name` for an instruction, computation or module. It begins with a letter or '_', is no
/// element type, and begins with "__" only if it is XLA's own.
bool is_plain_name(std::string_view name);
/// Returns `name`, changed to satisfy is_plain_name().
std::string plain_name(std::string_view name);
/// As plain_name(), for computations, whose names may be those of types.
std::string plain_computation_name(std::string_view name);

/// Returns `text` in double quotes; quotes, backslashes, line ends and bytes outside printable ASCII are escaped.
std::string quoted_text(std::string_view text);

}  // namespace hilo::hlo::text
