// SPDX-License-Identifier: Apache-2.0
#include "hilo/tree/tree.h"

#include <algorithm>

#include "hilo/tree/path_visitor.h"

namespace hilo {
namespace {

class Flattener final : public TreeVisitor {
 public:
  explicit Flattener(FlatTree& flat) : flat_(flat) {}
  void leaf(Array& array) override {
    flat_.leaves.push_back(array);
    flat_.structure += '*';
  }
  void node(char kind, size_t size) override {
    flat_.structure += kind;
    if (size < 10) flat_.structure += static_cast<char>('0' + size);  // common case, without a temporary string
    else flat_.structure += std::to_string(size);
  }
  void fixed(const void* bytes, size_t size, const void*, FixedText) override {
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
  void fixed(const void*, size_t, const void*, FixedText) override {}
  size_t count() const { return next_; }

 private:
  std::span<const Array> leaves_;
  size_t next_ = 0;
};

class LeafCounter final : public TreeVisitor {
 public:
  void leaf(Array&) override { ++count; }
  void node(char, size_t) override {}
  void fixed(const void*, size_t, const void*, FixedText) override {}
  size_t count = 0;
};

class PathFinder final : public PathVisitor {
 public:
  explicit PathFinder(size_t index) : index_(index) {}
  void leaf(Array&) override {
    if (next_++ == index_) found_ = path();
  }
  std::string found() const { return found_; }

 private:
  size_t index_;
  size_t next_ = 0;
  std::string found_;
};

/// One step of a walk, as a message shows it.
struct Stop {
  std::string path, what;
  std::string bytes;  ///< of a fixed value, because different values may print alike
  bool operator==(const Stop&) const = default;
};

std::string counted(size_t size, const char* things) {
  return std::to_string(size) + " " + things + (size == 1 ? "" : "s");
}

std::string node_text(char kind, size_t size) {
  switch (kind) {
    case '[': return "a vector of " + counted(size, "element");
    case '{': return "a map of " + counted(size, "key");
    case '?': return size == 0 ? "an empty optional" : "an optional with a value";
  }
  return counted(size, "field");
}

class Describer final : public PathVisitor {
 public:
  void leaf(Array&) override { stops.push_back({path(), "an Array", {}}); }
  void node(char kind, size_t size) override {
    PathVisitor::node(kind, size);
    stops.push_back({path(), node_text(kind, size), {}});
  }
  void fixed(const void* bytes, size_t size, const void* value, FixedText text) override {
    PathVisitor::fixed(bytes, size, value, text);
    stops.push_back({path(), text(value), {static_cast<const char*>(bytes), size}});
  }
  std::vector<Stop> stops;
};

std::vector<Stop> stops_of(WalkRef walk_value) {
  Describer describer;
  walk_value(describer);
  return std::move(describer.stops);
}

}  // namespace

FlatTree flatten_walked(WalkRef walk_value) {
  FlatTree flat;
  flat.leaves.reserve(8);  // enough for most trees: one allocation instead of four
  Flattener flattener(flat);
  walk_value(flattener);
  return flat;
}

size_t leaf_count(WalkRef walk_value) {
  LeafCounter counter;
  walk_value(counter);
  return counter.count;
}

void fill_from(std::span<const Array> leaves, WalkRef walk_value) {
  Filler filler(leaves);
  walk_value(filler);
  if (filler.count() != leaves.size()) {
    or_throw(invalid_argument("unflatten: got " + std::to_string(leaves.size()) + " leaves, the tree has " +
                              std::to_string(filler.count())));
  }
}

std::string walk_difference(std::string_view one, WalkRef walk_one, std::string_view other, WalkRef walk_other) {
  const std::vector<Stop> a = stops_of(walk_one), b = stops_of(walk_other);
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x == a.end() && y == b.end()) return "";
  const std::string& path = x != a.end() ? x->path : y->path;
  const auto text = [](auto stop, const std::vector<Stop>& all) { return stop == all.end() ? "nothing" : stop->what; };
  return (path.empty() ? "" : "at " + path + " ") + std::string(one) + " has " + text(x, a) + ", " +
         std::string(other) + " has " + text(y, b);
}

std::string leaf_path(size_t index, WalkRef walk_value) {
  PathFinder finder(index);
  walk_value(finder);
  return finder.found();
}

}  // namespace hilo
