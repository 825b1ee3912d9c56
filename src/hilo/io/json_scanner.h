// SPDX-License-Identifier: Apache-2.0
// io/json_scanner.h -- walks over JSON whose shape the reader knows. Not for users.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// Takes one word after the other from a text; nothing nests but what its user asks for.
/// Errors    INVALID_ARGUMENT with the byte, for what isn't there
/// Source    RFC 8259
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  /// Takes `c` if it comes next.
  bool accept(char c);
  Status expect(char c);
  /// A string, unescaped. It must be UTF-8.
  StatusOr<std::string> string();
  /// An integer from 0 on, without fraction or exponent.
  StatusOr<int64_t> natural();
  /// Takes `word` (true, false, null) if it comes next.
  bool accept_word(std::string_view word);
  /// A number of any kind, as it stands there.
  StatusOr<std::string_view> number();
  /// Nothing but white space may be left.
  Status end();
  Status error(std::string_view what) const;

 private:
  void skip_space();
  Status escape(std::string& out);
  StatusOr<uint32_t> four_digits();

  std::string_view text_;
  size_t at_ = 0;
};

/// Calls `entry(key)` for each key of the object that comes next; it takes the value.
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
