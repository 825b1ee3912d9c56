// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/shape.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "hilo/types/checked.h"

namespace hilo {

struct Shape::Data {
  ElementType type = ElementType::kTuple;
  bool default_layout = true;
  std::vector<int64_t> dimensions;
  std::vector<int64_t> minor_to_major;
  std::vector<Shape> elements;
  int64_t element_count = 0;
  int64_t byte_size = 0;

  bool same(const Data& other) const {
    return type == other.type && dimensions == other.dimensions && minor_to_major == other.minor_to_major &&
           elements == other.elements;
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

struct Shape::Interner {
  std::mutex mutex;
  std::unordered_multimap<size_t, std::unique_ptr<const Data>> table;

  static Interner& instance() {
    static Interner* interner = new Interner;  // outlives every static that holds a Shape
    return *interner;
  }

  static Shape intern(Data data) {
    Interner& self = instance();
    const size_t h = data.hash();
    std::lock_guard lock(self.mutex);
    auto [begin, end] = self.table.equal_range(h);
    for (auto it = begin; it != end; ++it) {
      if (it->second->same(data)) return Shape(it->second.get());
    }
    return Shape(self.table.emplace(h, std::make_unique<const Data>(std::move(data)))->second.get());
  }
};

namespace {

std::vector<int64_t> descending(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
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

Shape Shape::array(ElementType type, std::span<const int64_t> dimensions) {
  Data data;
  data.type = type;
  data.dimensions.assign(dimensions.begin(), dimensions.end());
  data.minor_to_major = descending(dimensions.size());
  data.element_count = 1;
  for (int64_t d : dimensions) data.element_count *= d;
  data.byte_size = data.element_count * element_size_bytes(type);
  return Interner::intern(std::move(data));
}

Shape Shape::tuple(std::span<const Shape> elements) {
  Data data;
  data.type = ElementType::kTuple;
  data.elements.assign(elements.begin(), elements.end());
  // Tuples of untrusted programs may add up to more than 2^63 bytes; the sum saturates and no allocation succeeds.
  for (const Shape& e : elements) {
    data.byte_size = checked_add(data.byte_size, e.byte_size()).value_or(INT64_MAX);
  }
  return Interner::intern(std::move(data));
}

Shape Shape::token() {
  Data data;
  data.type = ElementType::kToken;
  return Interner::intern(std::move(data));
}

Shape Shape::opaque() {
  Data data;
  data.type = ElementType::kOpaque;
  return Interner::intern(std::move(data));
}

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
  Data data = *data_;
  data.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  data.default_layout = data.minor_to_major == descending(data.dimensions.size());
  return Interner::intern(std::move(data));
}

Shape Shape::with_default_layout() const {
  if (is_tuple()) return map_leaves([](const Shape& leaf) { return leaf.with_default_layout(); });
  return has_default_layout() ? *this : array(element_type(), dimensions());
}

Shape Shape::with_element_type(ElementType type) const {
  Data data = *data_;
  data.type = type;
  data.byte_size = data.element_count * element_size_bytes(type);
  return Interner::intern(std::move(data));
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
