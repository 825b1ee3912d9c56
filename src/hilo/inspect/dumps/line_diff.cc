// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/dumps/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace hilo {
namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Equal lines of the texts before and after.
struct Pair {
  size_t before, after;
};

/// Returns lines that occur exactly once in each text, in the order of the text before.
std::vector<Pair> unique_pairs(const Lines& before, const Lines& after) {
  struct Count {
    size_t before = 0, after = 0, after_at = 0;
  };
  std::unordered_map<std::string_view, Count> counts;
  for (std::string_view line : before) ++counts[line].before;
  for (size_t i = 0; i < after.size(); ++i) {
    Count& count = counts[after[i]];
    ++count.after;
    count.after_at = i;
  }
  std::vector<Pair> pairs;
  for (size_t i = 0; i < before.size(); ++i) {
    const Count& count = counts[before[i]];
    if (count.before == 1 && count.after == 1) pairs.push_back({i, count.after_at});
  }
  return pairs;
}

/// Returns the longest subsequence of `pairs` that is increasing in both texts.
std::vector<Pair> rising(const std::vector<Pair>& pairs) {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> ends;  // ends[n]: the pair with the smallest end among sequences of n + 1
  std::vector<size_t> previous(pairs.size(), kNone);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto place = std::lower_bound(ends.begin(), ends.end(), pairs[i].after,
                                        [&](size_t end, size_t after) { return pairs[end].after < after; });
    if (place != ends.begin()) previous[i] = *(place - 1);
    if (place == ends.end()) ends.push_back(i);
    else *place = i;
  }
  std::vector<Pair> result;
  for (size_t i = ends.empty() ? kNone : ends.back(); i != kNone; i = previous[i]) result.push_back(pairs[i]);
  std::reverse(result.begin(), result.end());
  return result;
}

/// Appends the lines of a gap between two pairs: equal ones at its ends, then removed ones, then added ones.
void append_gap(std::span<const std::string_view> before, std::span<const std::string_view> after,
                std::vector<DiffLine>& out) {
  const size_t shorter = std::min(before.size(), after.size());
  size_t head = 0, tail = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  for (size_t i = 0; i < head; ++i) out.push_back({DiffMark::kSame, before[i]});
  for (size_t i = head; i < before.size() - tail; ++i) out.push_back({DiffMark::kRemoved, before[i]});
  for (size_t i = head; i < after.size() - tail; ++i) out.push_back({DiffMark::kAdded, after[i]});
  for (size_t i = before.size() - tail; i < before.size(); ++i) out.push_back({DiffMark::kSame, before[i]});
}

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view before_text, std::string_view after_text) {
  const Lines before = lines_of(before_text), after = lines_of(after_text);
  std::vector<DiffLine> out;
  Pair at{0, 0};
  const std::span<const std::string_view> all_before(before), all_after(after);
  for (const Pair& pair : rising(unique_pairs(before, after))) {
    append_gap(all_before.subspan(at.before, pair.before - at.before),
               all_after.subspan(at.after, pair.after - at.after), out);
    out.push_back({DiffMark::kSame, before[pair.before]});
    at = {pair.before + 1, pair.after + 1};
  }
  append_gap(all_before.subspan(at.before), all_after.subspan(at.after), out);
  return out;
}

}  // namespace hilo
