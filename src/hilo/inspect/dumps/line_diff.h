// SPDX-License-Identifier: Apache-2.0
// inspect/dumps/line_diff.h -- the differences of two texts, line by line.
#pragma once

#include <string_view>
#include <vector>

namespace hilo {

enum class DiffMark : char { kSame = ' ', kRemoved = '-', kAdded = '+' };
struct DiffLine {
  DiffMark mark;
  std::string_view text;  ///< from the text before, or from the one after if it was added
};

/// Returns all lines of both texts in order. Lines that occur exactly once in each text are matched first. This is fast
/// and readable for programs, in which nearly every line is unique; the difference isn't always the shortest.
/// Cost       O(n log n) in the number of lines
std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after);

}  // namespace hilo
