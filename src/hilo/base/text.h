// SPDX-License-Identifier: Apache-2.0
// base/text.h -- small string helpers, none of which look at the process's locale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hilo {

/// "a, b, c" for {"a", "b", "c"} and ", ".
std::string join(std::span<const std::string_view> parts, std::string_view separator);

/// ASCII letters only; other bytes stay as they are.
std::string ascii_lower(std::string_view text);
std::string ascii_upper(std::string_view text);

/// Without spaces, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
/// Cost    O(|a| |b|); names longer than 256 bytes count as their difference in length plus 256.
int64_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, if one is near enough to be a slip of the keyboard (the first of equals),
/// or else the only one that begins with `name`.
std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// " Hint: did you mean 'x'?", or "" if no candidate is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// The whole of `text` as a decimal integer; nullopt for anything else, also for what does not fit.
std::optional<int64_t> parse_int64(std::string_view text);

/// "1.50 GiB", "96 bytes".
std::string bytes_text(uint64_t bytes);

/// `text` for use in a message: at most 80 bytes, control characters written as \xNN, in single quotes.
std::string quote(std::string_view text);

/// `text` as a terminal may be shown it: control characters but line ends and tabs written as \xNN, so that a name in a
/// program from elsewhere can't move the cursor, set the title or answer for the user.
std::string printable(std::string_view text);

/// What errno means, in English in every locale: "No such file or directory".
std::string errno_text(int error);

}  // namespace hilo
