// SPDX-License-Identifier: Apache-2.0
#include "hilo/tree/tree.h"

namespace hilo {
namespace {

class Flattener final : public TreeVisitor {
 public:
  explicit Flattener(FlatTree& flat) : flat_(flat) {}
  void leaf(Array& array) override {
    flat_.leaves.push_back(array);
    flat_.structure += '*';
  }
  void node(char kind, size_t size) override { flat_.structure += kind + std::to_string(size); }
  void fixed(const void* bytes, size_t size) override {
    flat_.structure += '=' + std::to_string(size) + ':';
    flat_.structure.append(static_cast<const char*>(bytes), size);
  }

 private:
  FlatTree& flat_;
};

class Filler final : public TreeVisitor {
 public:
  explicit Filler(std::span<const Array> leaves) : leaves_(leaves) {}
  void leaf(Array& array) override {
    if (next_ < leaves_.size()) array = leaves_[next_];
    ++next_;
  }
  void node(char, size_t) override {}
  void fixed(const void*, size_t) override {}
  size_t count() const { return next_; }

 private:
  std::span<const Array> leaves_;
  size_t next_ = 0;
};

/// The name at `index` in "w, b".
std::string field_name(const char* names, size_t index) {
  std::string_view rest = names;
  for (; index > 0; --index) rest.remove_prefix(rest.find(',') + 1);
  rest = rest.substr(0, rest.find(','));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return std::string(rest);
}

class PathFinder final : public TreeVisitor {
 public:
  explicit PathFinder(size_t wanted) : wanted_(wanted) {}
  void leaf(Array&) override {
    if (next_++ != wanted_) return;
    for (const std::string& part : path_) found_ += part;
  }
  void node(char, size_t) override {}
  void fixed(const void*, size_t) override {}
  void enter(size_t index, const char* names) override {
    path_.push_back(names == nullptr ? "[" + std::to_string(index) + "]" : "." + field_name(names, index));
  }
  void leave() override { path_.pop_back(); }
  std::string found() const { return found_; }

 private:
  size_t wanted_;
  size_t next_ = 0;
  std::vector<std::string> path_;
  std::string found_;
};

}  // namespace

void flatten_into(FlatTree& flat, const std::function<void(TreeVisitor&)>& walk_value) {
  Flattener flattener(flat);
  walk_value(flattener);
}

void fill_from(std::span<const Array> leaves, const std::function<void(TreeVisitor&)>& walk_value) {
  Filler filler(leaves);
  walk_value(filler);
  if (filler.count() != leaves.size()) {
    or_throw(invalid_argument("unflatten: got " + std::to_string(leaves.size()) + " leaves, the tree has " +
                              std::to_string(filler.count())));
  }
}

std::string leaf_path(size_t index, const std::function<void(TreeVisitor&)>& walk_value) {
  PathFinder finder(index);
  walk_value(finder);
  return finder.found();
}

}  // namespace hilo
