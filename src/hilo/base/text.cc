// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/text.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace hilo {

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string ascii_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string ascii_upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

int64_t edit_distance(std::string_view a, std::string_view b) {
  constexpr size_t kMax = 256;  // bytes; limits the quadratic cost for hostile names
  const int64_t difference = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  if (std::max(a.size(), b.size()) > kMax) return difference + static_cast<int64_t>(kMax);
  std::vector<int64_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// Returns the only candidate that begins with `name`, as for an abbreviation.
static std::optional<std::string_view> completion(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr size_t kMin = 3;  // bytes; shorter prefixes are ambiguous
  std::optional<std::string_view> found;
  for (std::string_view candidate : candidates) {
    if (name.size() < kMin || !candidate.starts_with(name)) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  const auto limit = std::max<int64_t>(2, std::ssize(name) / 3);
  std::optional<std::string_view> nearest;
  int64_t least = limit + 1;
  for (std::string_view candidate : candidates) {
    const int64_t distance = edit_distance(name, candidate);
    // A distance as large as the name means that all of it is replaced, which is no typo.
    if (distance >= least || distance >= static_cast<int64_t>(std::max(name.size(), candidate.size()))) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest ? nearest : completion(name, candidates);
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> nearest = nearest_name(name, candidates);
  return nearest ? fmt::format(" Hint: did you mean '{}'?", *nearest) : std::string();
}

std::optional<int64_t> parse_int64(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

namespace {

/// Returns whether the byte at `i` is part of a control character: one of ASCII, or of U+0080 to U+009F in UTF-8.
bool is_control(std::string_view text, size_t i) {
  const auto at = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0; };
  const auto is_second = [](int byte) { return byte >= 0x80 && byte <= 0x9f; };
  const int byte = at(i);
  if (byte < 0x20 || byte == 0x7f) return true;
  if (byte == 0xc2) return is_second(at(i + 1));
  return is_second(byte) && i > 0 && at(i - 1) == 0xc2;
}

void append_escaped(std::string_view text, std::string_view kept, std::string& result) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_control(text, i) && kept.find(text[i]) == std::string_view::npos) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    } else {
      result += text[i];
    }
  }
}

}  // namespace

std::string quote(std::string_view text) {
  constexpr size_t kMax = 80;  // bytes
  std::string result = "'";
  append_escaped(text.substr(0, kMax), "", result);
  return result + (text.size() > kMax ? "...'" : "'");
}

std::string printable(std::string_view text) {
  std::string result;
  append_escaped(text, "\n\t", result);
  return result;
}

std::string errno_text(int error) {
  const char* text = ::strerrordesc_np(error);
  return text != nullptr ? text : fmt::format("error {}", error);
}

}  // namespace hilo
