// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/flat_call.h"

#include <utility>

namespace hilo::flat_call {
namespace {

class Emptier final : public TreeVisitor {
 public:
  void leaf(Array& array) override { const Array old = std::move(array); }
  void node(char, size_t) override {}
  void fixed(const void*, size_t, const void*, FixedText) override {}
};

}  // namespace

std::function<size_t()> leaf_count_later(WalkRef walk_value) {
  return [walk_value] { return leaf_count(walk_value); };
}

void drop_arrays(WalkRef walk_value) { fill_from(std::vector<Array>(leaf_count(walk_value)), walk_value); }

void empty_arrays(WalkRef walk_value) {
  Emptier emptier;
  walk_value(emptier);
}

std::string path_of_walked(WalkRef arguments, size_t index) { return "args" + leaf_path(index, arguments); }

std::function<std::string(size_t leaf)> paths_of(WalkRef arguments) {
  return [arguments](size_t leaf) { return path_of_walked(arguments, leaf); };
}

FlatFunction flat_function(const Typeless& call) {
  return [call](std::span<const Array> leaves) { return call.run(call, leaves); };
}

std::vector<bool> mask_of(const std::vector<size_t>& leaf_counts, const std::vector<int>& argnums) {
  const int count = static_cast<int>(leaf_counts.size());
  std::vector<bool> chosen(leaf_counts.size());
  for (int argnum : argnums) {
    const int normal = argnum < 0 ? argnum + count : argnum;
    if (normal < 0 || normal >= count) {
      or_throw(invalid_argument(at_user_line("argnums") + ": " + std::to_string(argnum) +
                                " is out of range for a function of " + std::to_string(count) + " arguments"));
    }
    chosen[normal] = true;
  }
  std::vector<bool> mask;
  for (size_t i = 0; i < leaf_counts.size(); ++i) mask.insert(mask.end(), leaf_counts[i], chosen[i]);
  return mask;
}

std::vector<Array> in_order_of(const std::vector<int>& argnums, const std::vector<size_t>& leaf_counts,
                               std::vector<Array> leaves) {
  const std::vector<bool> mask = mask_of(leaf_counts, argnums);
  std::vector<size_t> begins(leaf_counts.size() + 1);  // first leaf of each argument
  size_t leaf = 0, used = 0;
  for (size_t i = 0; i < leaf_counts.size(); ++i) {
    begins[i] = used;
    for (size_t k = 0; k < leaf_counts[i]; ++k) used += mask[leaf++] ? 1 : 0;
  }
  std::vector<Array> ordered;
  for (int argnum : argnums) {
    const size_t i = argnum < 0 ? argnum + static_cast<int>(leaf_counts.size()) : argnum;
    for (size_t k = 0; k < leaf_counts[i]; ++k) ordered.push_back(leaves[begins[i] + k]);
  }
  return ordered;
}

}  // namespace hilo::flat_call
