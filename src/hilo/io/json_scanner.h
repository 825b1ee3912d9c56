// SPDX-License-Identifier: Apache-2.0
// io/json_scanner.h -- scans JSON with a known structure. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// Reads one token after the other from a text. The caller determines the nesting.
/// Errors    INVALID_ARGUMENT with the byte offset if the expected token is missing
/// Source    RFC 8259
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  /// Consumes `c` if it is the next token.
  bool accept(char c);
  Status expect(char c);
  /// Reads a string and resolves its escapes. It must be valid UTF-8.
  StatusOr<std::string> string();
  /// Reads a non-negative integer without fraction or exponent.
  StatusOr<int64_t> natural();
  /// Consumes `word` (true, false, null) if it is the next token.
  bool accept_word(std::string_view word);
  /// Reads a number of any kind and returns its text.
  StatusOr<std::string_view> number();
  /// Checks that only white space is left.
  Status end();
  Status error(std::string_view what) const;

 private:
  void skip_space();
  Status escape(std::string& out);
  StatusOr<uint32_t> four_digits();

  std::string_view text_;
  size_t at_ = 0;
};

/// Reads an object. Calls `entry(key)` for each key; it must read the value.
template <typename Entry>
Status each_key(JsonScanner& json, Entry&& entry) {
  HILO_RETURN_IF_ERROR(json.expect('{'));
  if (json.accept('}')) return ok_status();
  while (true) {
    HILO_ASSIGN_OR_RETURN(const std::string key, json.string());
    HILO_RETURN_IF_ERROR(json.expect(':'));
    HILO_RETURN_IF_ERROR(entry(key));
    if (json.accept('}')) return ok_status();
    HILO_RETURN_IF_ERROR(json.expect(','));
  }
}

}  // namespace hilo::io
