// SPDX-License-Identifier: Apache-2.0
// base/text.h -- small string functions, independent of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hilo {

/// Concatenates parts: {"a", "b", "c"} and ", " give "a, b, c".
std::string join(std::span<const std::string_view> parts, std::string_view separator);

/// Converts ASCII letters to lower case; other bytes are unchanged.
std::string ascii_lower(std::string_view text);
std::string ascii_upper(std::string_view text);

/// Removes spaces, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that transform `a` to `b`.
/// Cost      O(|a| |b|). For names longer than 256 bytes, the result is the difference of the lengths plus 256.
int64_t edit_distance(std::string_view a, std::string_view b);

/// Returns the candidate most similar to `name`, if it is similar enough for a typo (the first of equals), or else the
/// only candidate that begins with `name`.
std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// Returns " Hint: did you mean 'x'?", or "" if no candidate is similar.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// Parses all of `text` as a decimal integer; nullopt for other text and for overflow.
std::optional<int64_t> parse_int64(std::string_view text);

/// Formats a number of bytes: "1.50 GiB", "96 bytes".
std::string bytes_text(uint64_t bytes);

/// Returns `text` for use in a message: in single quotes, at most 80 bytes, control characters as \xNN.
std::string quote(std::string_view text);

/// Returns `text` with control characters, except line ends and tabs, as \xNN. Untrusted names then can't move a
/// terminal's cursor, set its title or send input.
std::string printable(std::string_view text);

/// Returns the description of an errno value in English, independent of the locale: "No such file or directory".
std::string errno_text(int error);

}  // namespace hilo
