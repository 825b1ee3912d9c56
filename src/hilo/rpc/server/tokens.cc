// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = line.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const size_t size = std::min(line.find_first_of(kSpace), line.size());
    words.push_back(line.substr(0, size));
    line.remove_prefix(size);
  }
}

bool is_named(const std::vector<std::string_view>& words) {
  return words.size() == 2 && words[1].size() >= kMinTokenBytes;
}

/// Returns the nonempty lines with their numbers.
std::vector<std::pair<size_t, std::string_view>> lines_of(std::string_view text) {
  std::vector<std::pair<size_t, std::string_view>> lines;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line[0] != '#') lines.emplace_back(number, line);
  }
  return lines;
}

}  // namespace

StatusOr<std::vector<NamedToken>> tokens_of(std::string_view text) {
  const auto lines = lines_of(text);
  if (lines.size() == 1 && !is_named(words_of(lines[0].second))) {
    const std::string_view token = lines[0].second;
    if (token.size() >= kMinTokenBytes) return std::vector{NamedToken{.token = std::string(token)}};
  }
  std::vector<NamedToken> tokens;
  for (const auto& [number, line] : lines) {
    const std::vector<std::string_view> words = words_of(line);
    if (!is_named(words)) {
      return invalid_argument(
          fmt::format("line {}: {} words; wanted a name and a token of at least {} bytes. Hint: "
                      "openssl rand -hex 32",
                      number, words.size(), kMinTokenBytes));
    }
    const auto is_same = [&](const NamedToken& other) { return other.name == words[0] || other.token == words[1]; };
    if (std::ranges::any_of(tokens, is_same))
      return invalid_argument(fmt::format("line {}: the name {} or its token occurs twice", number, quote(words[0])));
    tokens.push_back({std::string(words[0]), std::string(words[1])});
  }
  if (tokens.empty()) return invalid_argument("the file has no token. Hint: openssl rand -hex 32");
  return tokens;
}

StatusOr<std::vector<NamedToken>> read_tokens(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string text, read_token(path));
  StatusOr<std::vector<NamedToken>> tokens = tokens_of(text);
  if (!tokens.ok()) return tokens.status().with_context(path);
  return tokens;
}

const NamedToken* token_named(const std::vector<NamedToken>& tokens, std::string_view authorization) {
  const NamedToken* found = nullptr;
  for (const NamedToken& token : tokens) {
    if (equal_in_constant_time(authorization, "Bearer " + token.token)) found = &token;
  }
  return found;
}

}  // namespace hilo::rpc
