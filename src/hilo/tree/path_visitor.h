// SPDX-License-Identifier: Apache-2.0
// tree/path_visitor.h -- a visitor that tracks the path of the walk. Not for users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo {

class PathVisitor : public TreeVisitor {
 public:
  // Overriding functions call these first; otherwise map entries are shown by position instead of by key.
  void node(char kind, size_t) override { open(kind); }
  void fixed(const void*, size_t, const void* value, FixedText text) override {
    if (in_map()) open_.back().key = text(value);
  }
  void enter(size_t index, const char* names) override {
    const std::string* const key = in_map() && !open_.back().key.empty() ? &open_.back().key : nullptr;
    path_.push_back(names != nullptr ? "." + field_name(names, index)
                                     : "[" + (key != nullptr ? *key : std::to_string(index)) + "]");
  }
  void leave() override {
    path_.pop_back();
    while (!open_.empty() && open_.back().depth > depth()) open_.pop_back();
  }

 protected:
  /// Returns the current path, "[1].blocks[3][\"w\"]"; "" for the whole tree.
  std::string path() const {
    std::string all;
    for (const std::string& part : path_) all += part;
    return all;
  }
  size_t depth() const { return path_.size(); }

 private:
  /// Returns the name at `index` in "w, b".
  static std::string field_name(const char* names, size_t index) {
    std::string_view rest = names;
    for (; index > 0; --index) rest.remove_prefix(rest.find(',') + 1);
    rest = rest.substr(0, rest.find(','));
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    return std::string(rest);
  }

  /// A container that the walk has entered.
  struct Open {
    size_t depth;
    char kind;
    std::string key;  ///< of a map: the key of the next value
  };
  void open(char kind) {
    if (open_.empty() || open_.back().depth != depth()) open_.push_back({depth(), kind, {}});
    else open_.back() = {depth(), kind, {}};  // a container in an optional, or a tuple as a map's key
  }
  bool in_map() const { return !open_.empty() && open_.back().depth == depth() && open_.back().kind == '{'; }

  std::vector<std::string> path_;
  std::vector<Open> open_;
};

}  // namespace hilo
