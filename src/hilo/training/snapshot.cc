// SPDX-License-Identifier: Apache-2.0
// training/snapshot.cc -- converts pytrees to snapshots and back.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hilo/base/json.h"
#include "hilo/base/text.h"
#include "hilo/mesh/sharded_array.h"
#include "hilo/mesh/shards.h"
#include "hilo/training/checkpoint_file.h"
#include "hilo/tree/path_visitor.h"

namespace hilo::training::checkpoint_detail {
namespace {

// A traversal that distinguishes keys of maps, which belong to the structure, from values.
class StateVisitor : public PathVisitor {
 public:
  void leaf(Array& array) override {
    line("an array");
    on_array(array);
  }
  void node(char kind, size_t size) override {
    if (in_map()) or_throw(invalid_argument("checkpoint: at " + path() + " keys of a map must be numbers or strings"));
    kinds_[depth()] = kind;
    const char* what = kind == '[' ? "vector" : kind == '{' ? "map" : kind == '?' ? "optional" : "struct";
    line(fmt::format("{} of {}", what, size));
  }
  void fixed(const void* bytes, size_t size, const void* value, FixedText text) override {
    if (in_map()) return line("key " + json_string(text(value)));
    const bool is_string = bytes != value;
    line(is_string ? "a string" : fmt::format("a value of {} bytes", size));
    on_value(static_cast<const char*>(bytes), size, is_string ? static_cast<const std::string*>(value) : nullptr);
  }
  void enter(size_t index, const char* names) override {
    PathVisitor::enter(index, names);
    kinds_[depth()] = '\0';
  }
  std::string structure;

 protected:
  virtual void on_array(Array& array) = 0;
  // `string` is the value, if it is a string; otherwise `bytes` is the value.
  virtual void on_value(const char* bytes, size_t size, const std::string* string) = 0;

 private:
  bool in_map() const {
    const auto found = kinds_.find(depth());
    return found != kinds_.end() && found->second == '{';
  }
  void line(const std::string& what) { structure += path() + "\t" + what + "\n"; }

  std::map<size_t, char> kinds_;  // kinds of the containers on the current path
};

class Taker final : public StateVisitor {
 public:
  Snapshot take() {
    snapshot_.structure = std::move(structure);
    return std::move(snapshot_);
  }

 private:
  void on_array(Array& array) override {
    const NamedSharding* const sharding = sharding_of(array);
    if (sharding == nullptr || sharding->is_fully_addressable())
      return snapshot_.arrays.push_back({path(), array.to_literal(), array.weak_type()});
    snapshot_.is_shared = true;
    const Array whole = device_put(array, NamedSharding(sharding->mesh(), PartitionSpec()));
    if (process_index() == 0) snapshot_.arrays.push_back({path(), whole.to_literal(), array.weak_type()});
  }
  void on_value(const char* bytes, size_t size, const std::string*) override {
    snapshot_.values.push_back({path(), {bytes, size}});
  }
  Snapshot snapshot_;
};

using ArraysByPath = std::map<std::string, const SavedArray*>;
using ValuesByPath = std::map<std::string, std::string_view>;

// Compares a pytree with a snapshot, whose file may have any content.
class Checker final : public StateVisitor {
 public:
  Checker(const ArraysByPath& arrays, const ValuesByPath& values) : arrays_(arrays), values_(values) {}
  Status status;

 private:
  void on_array(Array& array) override {
    const auto found = arrays_.find(path());
    if (!status.ok() || (found != arrays_.end() && found->second->value.shape() == array.aval_shape())) return;
    const std::string saved = found == arrays_.end() ? "missing" : found->second->value.shape().to_string();
    status = invalid_argument(fmt::format("array {} is {} in the checkpoint and {} in the tree", quote(path()), saved,
                                          array.aval_shape().to_string()));
  }
  void on_value(const char*, size_t size, const std::string* string) override {
    const auto found = values_.find(path());
    if (!status.ok() || (found != values_.end() && (string != nullptr || found->second.size() == size))) return;
    status = invalid_argument(fmt::format("the checkpoint has no value {} of {} bytes", quote(path()), size));
  }
  const ArraysByPath& arrays_;
  const ValuesByPath& values_;
};

class Filler final : public StateVisitor {
 public:
  Filler(const ArraysByPath& arrays, const ValuesByPath& values) : arrays_(arrays), values_(values) {}

 private:
  void on_array(Array& array) override {
    const SavedArray& saved = *arrays_.at(path());
    const Array value = Array::from_literal(saved.value);
    const NamedSharding* const sharding = sharding_of(array);
    array = with_weak_type(sharding == nullptr ? value : device_put(value, *sharding), saved.weak_type);
  }
  // The traversed pytree is the caller's own copy, and not const.
  void on_value(const char* bytes, size_t size, const std::string* string) override {
    const std::string_view saved = values_.at(path());
    if (string != nullptr) *const_cast<std::string*>(string) = saved;
    else std::copy_n(saved.data(), size, const_cast<char*>(bytes));
  }
  const ArraysByPath& arrays_;
  const ValuesByPath& values_;
};

// "at PATH the checkpoint has A, the tree has B": the first line that differs.
std::string difference(std::string_view saved, std::string_view own) {
  const auto [x, y] = std::ranges::mismatch(saved, own);
  const auto line_at = [](std::string_view text, size_t at) {
    const size_t begin = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::string_view line = text.substr(begin == std::string_view::npos ? 0 : begin + 1);
    return line.substr(0, line.find('\n'));
  };
  const size_t at = x - saved.begin();
  const auto shown = [&](std::string_view line) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return std::string("nothing more");
    return std::string(line.substr(tab + 1)) + (tab == 0 ? "" : " at " + std::string(line.substr(0, tab)));
  };
  return fmt::format("the checkpoint has {}, the tree has {}", shown(line_at(saved, at)), shown(line_at(own, at)));
}

}  // namespace

Snapshot snapshot_of(const std::function<void(TreeVisitor&)>& walk) {
  Taker taker;
  walk(taker);
  return taker.take();
}

Status fill(const Snapshot& snapshot, const std::function<void(TreeVisitor&)>& walk) {
  ArraysByPath arrays;
  ValuesByPath values;
  for (const SavedArray& array : snapshot.arrays) arrays.emplace(array.path, &array);
  for (const SavedValue& value : snapshot.values) values.emplace(value.path, value.bytes);
  Checker checker(arrays, values);
  walk(checker);
  if (checker.structure != snapshot.structure)
    return invalid_argument(difference(snapshot.structure, checker.structure));
  HILO_RETURN_IF_ERROR(checker.status);
  Filler filler(arrays, values);
  walk(filler);
  return ok_status();
}

}  // namespace hilo::training::checkpoint_detail
