// SPDX-License-Identifier: Apache-2.0
// tree/path_visitor.h -- a visitor that knows where the walk is. Not for users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo {

class PathVisitor : public TreeVisitor {
 public:
  void enter(size_t index, const char* names) override {
    path_.push_back(names == nullptr ? "[" + std::to_string(index) + "]" : "." + field_name(names, index));
  }
  void leave() override { path_.pop_back(); }

 protected:
  /// "[1].blocks[3].w"; "" for the whole tree.
  std::string path() const {
    std::string all;
    for (const std::string& part : path_) all += part;
    return all;
  }
  size_t depth() const { return path_.size(); }

 private:
  /// The name at `index` in "w, b".
  static std::string field_name(const char* names, size_t index) {
    std::string_view rest = names;
    for (; index > 0; --index) rest.remove_prefix(rest.find(',') + 1);
    rest = rest.substr(0, rest.find(','));
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    return std::string(rest);
  }

  std::vector<std::string> path_;
};

}  // namespace hilo
