// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/shape.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <memory>
#include <mutex>
#include <numeric>

#include "hilo/types/checked.h"

namespace hilo {

namespace {

/// What shapes are told apart by. Views: a shape that is there already is found without an allocation.
struct Parts {
  ElementType type = ElementType::kTuple;
  std::span<const int64_t> dimensions = {};
  std::span<const int64_t> minor_to_major = {};  ///< empty for row-major
  std::span<const Shape> elements = {};

  bool operator==(const Parts& other) const {
    return type == other.type && std::ranges::equal(dimensions, other.dimensions) &&
           std::ranges::equal(minor_to_major, other.minor_to_major) && std::ranges::equal(elements, other.elements);
  }
  size_t hash() const {
    size_t h = static_cast<size_t>(type) * 0x9e3779b97f4a7c15u;
    const auto mix = [&h](size_t value) { h = (h ^ value) * 0x100000001b3u + (h >> 29); };
    for (int64_t d : dimensions) mix(static_cast<size_t>(d));
    for (int64_t d : minor_to_major) mix(static_cast<size_t>(d) + 77);
    for (const Shape& e : elements) mix(e.hash());
    return h;
  }
};

}  // namespace

struct Shape::Data {
  Data(const Parts& parts, size_t hash);
  Parts parts() const {
    return {type, dimensions, default_layout ? std::span<const int64_t>() : minor_to_major, elements};
  }

  size_t hash;
  ElementType type;
  bool default_layout;
  std::vector<int64_t> dimensions;
  std::vector<int64_t> minor_to_major;
  std::vector<Shape> elements;
  int64_t element_count = 0;
  int64_t byte_size = 0;
};

struct Shape::Interner {
  /// A shape that is looked for.
  struct Key {
    const Parts& parts;
    size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Key& key) const { return key.hash; }
    size_t operator()(const std::unique_ptr<const Data>& data) const { return data->hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Key& a, const std::unique_ptr<const Data>& b) const {
      return a.hash == b->hash && a.parts == b->parts();
    }
    bool operator()(const std::unique_ptr<const Data>& a, const std::unique_ptr<const Data>& b) const { return a == b; }
  };
  std::mutex mutex;
  boost::unordered_flat_set<std::unique_ptr<const Data>, Hash, Equal> table;

  static Interner& instance() {
    static Interner* interner = new Interner;  // outlives every static that holds a Shape
    return *interner;
  }

  static Shape intern(const Parts& parts) {
    Interner& self = instance();
    const Key key = {parts, parts.hash()};  // before the lock, which threads that build programs share
    std::lock_guard lock(self.mutex);
    const auto known = self.table.find(key);
    if (known != self.table.end()) return Shape(known->get());
    return Shape(self.table.insert(std::make_unique<const Data>(parts, key.hash)).first->get());
  }
};

namespace {

std::vector<int64_t> descending(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

bool is_descending(std::span<const int64_t> order) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(order.size() - 1 - i)) return false;
  }
  return true;
}

std::string shape_to_string(const Shape& shape, bool layouts) {
  if (shape.is_tuple()) {
    std::string text = "(";
    for (int64_t i = 0; i < shape.tuple_size(); ++i) {
      if (i != 0) text += ", ";
      text += shape_to_string(shape.tuple_element(i), layouts);
    }
    return text + ")";
  }
  std::string text(element_type_name(shape.element_type()));
  text += dimensions_to_string(shape.dimensions());
  if (layouts && shape.rank() > 0) {
    const std::string order = dimensions_to_string(shape.minor_to_major());
    text += "{" + order.substr(1, order.size() - 2) + "}";
  }
  return text;
}

}  // namespace

Shape::Shape() {
  static const Data* const empty = tuple(std::span<const Shape>()).data_;
  data_ = empty;
}

Shape::Data::Data(const Parts& parts, size_t hash)
    : hash(hash),
      type(parts.type),
      default_layout(parts.minor_to_major.empty()),
      dimensions(parts.dimensions.begin(), parts.dimensions.end()),
      minor_to_major(parts.minor_to_major.begin(), parts.minor_to_major.end()),
      elements(parts.elements.begin(), parts.elements.end()) {
  if (default_layout) minor_to_major = descending(dimensions.size());
  if (is_array_type(type)) {
    element_count = 1;
    for (int64_t d : dimensions) element_count *= d;
    byte_size = element_count * element_size_bytes(type);
  }
  // Tuples of untrusted programs may add up to more than 2^63 bytes; the sum saturates and no allocation succeeds.
  for (const Shape& e : elements) byte_size = checked_add(byte_size, e.byte_size()).value_or(INT64_MAX);
}

Shape Shape::array(ElementType type, std::span<const int64_t> dimensions) {
  return Interner::intern({.type = type, .dimensions = dimensions});
}

Shape Shape::tuple(std::span<const Shape> elements) {
  return Interner::intern({.type = ElementType::kTuple, .elements = elements});
}

Shape Shape::token() { return Interner::intern({.type = ElementType::kToken}); }

Shape Shape::opaque() { return Interner::intern({.type = ElementType::kOpaque}); }

StatusOr<Shape> Shape::make_array(ElementType type, std::span<const int64_t> dimensions) {
  const auto describe = [&] { return std::string(element_type_name(type)) + dimensions_to_string(dimensions); };
  if (!is_array_type(type)) {
    return invalid_argument("shape: element type '" + std::string(element_type_name(type)) + "' is not an array type");
  }
  if (dimensions.size() > static_cast<size_t>(kMaxRank)) {
    return invalid_argument("shape: rank " + std::to_string(dimensions.size()) + " > " + std::to_string(kMaxRank));
  }
  // The running product skips zeros, so that f32[0,2^40,2^40] is refused whatever the order of its dimensions.
  int64_t bytes = element_size_bytes(type);
  for (int64_t d : dimensions) {
    if (d < 0) return invalid_argument("shape: negative dimension " + std::to_string(d) + " in " + describe());
    const std::optional<int64_t> product = checked_mul(bytes, std::max<int64_t>(d, 1));
    if (!product) return invalid_argument("shape: " + describe() + " needs more than 2^63-1 bytes");
    bytes = *product;
  }
  return array(type, dimensions);
}

ElementType Shape::element_type() const { return data_->type; }
std::span<const int64_t> Shape::dimensions() const { return data_->dimensions; }
int64_t Shape::element_count() const { return data_->element_count; }
int64_t Shape::byte_size() const { return data_->byte_size; }
std::span<const int64_t> Shape::minor_to_major() const { return data_->minor_to_major; }
bool Shape::has_default_layout() const { return data_->default_layout; }
std::span<const Shape> Shape::tuple_elements() const { return data_->elements; }

Shape Shape::with_layout(std::span<const int64_t> minor_to_major) const {
  Parts parts = data_->parts();
  parts.minor_to_major = is_descending(minor_to_major) ? std::span<const int64_t>() : minor_to_major;
  return Interner::intern(parts);
}

Shape Shape::with_default_layout() const {
  if (is_tuple()) return map_leaves([](const Shape& leaf) { return leaf.with_default_layout(); });
  return has_default_layout() ? *this : array(element_type(), dimensions());
}

Shape Shape::with_element_type(ElementType type) const {
  Parts parts = data_->parts();
  parts.type = type;
  return Interner::intern(parts);
}

Shape Shape::map_leaves(const std::function<Shape(const Shape&)>& map) const {
  if (!is_tuple()) return map(*this);
  std::vector<Shape> mapped;
  mapped.reserve(tuple_elements().size());
  for (const Shape& e : tuple_elements()) mapped.push_back(e.map_leaves(map));
  return tuple(mapped);
}

std::vector<Shape> Shape::leaves() const {
  if (!is_tuple()) return {*this};
  std::vector<Shape> all;
  for (const Shape& e : tuple_elements()) {
    for (const Shape& leaf : e.leaves()) all.push_back(leaf);
  }
  return all;
}

bool Shape::compatible(const Shape& other) const {
  return *this == other || with_default_layout() == other.with_default_layout();
}

std::string Shape::to_string() const { return shape_to_string(*this, false); }
std::string Shape::to_string_with_layout() const { return shape_to_string(*this, true); }

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.dimensions().size());
  int64_t stride = 1;
  for (int64_t d : shape.minor_to_major()) {
    strides[static_cast<size_t>(d)] = stride;
    stride *= shape.dimension(d);
  }
  return strides;
}

std::vector<int64_t> row_major_strides(std::span<const int64_t> dimensions) {
  std::vector<int64_t> strides(dimensions.size());
  int64_t stride = 1;
  for (size_t i = dimensions.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dimensions[i];
  }
  return strides;
}

std::string dimensions_to_string(std::span<const int64_t> dimensions) {
  std::string text = "[";
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (i != 0) text += ',';
    text += std::to_string(dimensions[i]);
  }
  return text + "]";
}

}  // namespace hilo
