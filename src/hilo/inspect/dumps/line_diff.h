// SPDX-License-Identifier: Apache-2.0
// inspect/dumps/line_diff.h -- what changed between two texts, line by line.
#pragma once

#include <string_view>
#include <vector>

namespace hilo {

enum class DiffMark : char { kSame = ' ', kRemoved = '-', kAdded = '+' };
struct DiffLine {
  DiffMark mark;
  std::string_view text;  ///< of the text before, or after if it was added
};

/// All lines of both texts in order. Lines that stand once in each text hold the texts together, so that a difference
/// is cheap and readable for programs, where nearly every line is the only one of its kind; it need not be the
/// shortest.
/// Cost    O(n log n) in the number of lines
std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after);

}  // namespace hilo
