// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/shape.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <memory>
#include <mutex>
#include <numeric>

#include "hilo/base/sizes.h"
#include "hilo/types/checked.h"

namespace hilo {

namespace {

/// The identity of a shape, as views: an existing shape is found without an allocation.
struct Parts {
  ElementType type = ElementType::kTuple;
  std::span<const int64_t> dimensions = {};
  std::span<const int64_t> minor_to_major = {};  ///< empty for row-major
  std::span<const Shape> elements = {};

  bool operator==(const Parts& other) const {
    return type == other.type && std::ranges::equal(dimensions, other.dimensions) &&
           std::ranges::equal(minor_to_major, other.minor_to_major) && std::ranges::equal(elements, other.elements);
  }
  /// `seed` differs between processes. Such hashes identify programs, so an attacker must not be able to construct
  /// collisions.
  size_t hash(uint64_t seed) const {
    uint64_t h = seed ^ static_cast<uint64_t>(type);
    const auto mix = [&h](uint64_t value) {
      const auto product = static_cast<unsigned __int128>(h ^ 0x9fb21c651e98df25u) * (value ^ 0xd6e8feb86659fd93u);
      h = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    };
    mix(dimensions.size());
    for (int64_t d : dimensions) mix(static_cast<uint64_t>(d));
    mix(minor_to_major.size() + elements.size());
    for (int64_t d : minor_to_major) mix(static_cast<uint64_t>(d));
    for (const Shape& e : elements) mix(e.hash());
    return h;
  }
};

}  // namespace

struct Shape::Data : Shape::Head {
  Data(const Parts& parts, size_t hash);
  Parts parts() const {
    return {type, dimensions, default_layout ? std::span<const int64_t>() : minor_to_major, elements};
  }

  ElementType type;
  bool default_layout;
  mutable bool waits = false;  ///< mutable members belong to the table, under its lock
  mutable const Data* next_waiting = nullptr;
  std::vector<int64_t> dimensions;
  std::vector<int64_t> minor_to_major;
  mutable std::vector<Shape> elements;
  int64_t element_count = 0;
  int64_t byte_size = 0;
};

/// The table of all shapes. A shape's first use begins and its last one ends under the table's lock.
struct Shape::Interner {
  /// A shape to look up.
  struct Key {
    const Parts& parts;
    size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Key& key) const { return key.hash; }
    size_t operator()(const Data* data) const { return data->hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Key& a, const Data* b) const { return a.hash == b->hash && a.parts == b->parts(); }
    bool operator()(const Data* a, const Data* b) const { return a == b; }
  };
  std::mutex mutex;
  boost::unordered_flat_set<const Data*, Hash, Equal> table;  // owns its elements
  // Unused shapes, oldest first; they may be used again.
  const Data* oldest_waiting = nullptr;
  const Data* newest_waiting = nullptr;
  int64_t waiting = 0;

  static Interner& instance() {
    static Interner* interner = new Interner;  // outlives all static Shapes
    return *interner;
  }

  static Shape intern(const Parts& parts);
  static void drop_last(const Data& data);
  void end_use(const Data& data);
  void forget_oldest();
};

Shape Shape::Interner::intern(const Parts& parts) {
  // A cache of uncounted shapes by hash. Most lookups repeat, and hits take no lock.
  constexpr size_t kRecent = 16;
  static constinit thread_local std::array<const Data*, kRecent> recent{};
  Interner& self = instance();
  const Key key = {parts, parts.hash(reinterpret_cast<uintptr_t>(&self))};
  const Data*& latest = recent[key.hash % kRecent];
  if (latest != nullptr && Equal()(key, latest)) return Shape(latest);
  std::lock_guard lock(self.mutex);
  const auto known = self.table.find(key);
  if (known != self.table.end()) {
    if ((*known)->uses.load(std::memory_order_relaxed) == kUncounted) latest = *known;
    hold(*known);
    return Shape(*known);
  }
  auto data = std::make_unique<const Data>(parts, key.hash);
  data->uses.store(self.table.size() < static_cast<size_t>(kKept) ? kUncounted : 1, std::memory_order_relaxed);
  self.table.insert(data.get());
  return Shape(data.release());
}

void Shape::drop_counted(const Head* head) {
  int64_t uses = head->uses.load(std::memory_order_relaxed);
  while (uses > 1) {
    if (head->uses.compare_exchange_weak(uses, uses - 1, std::memory_order_release, std::memory_order_relaxed)) return;
  }
  Interner::drop_last(static_cast<const Data&>(*head));
}

void Shape::Interner::drop_last(const Data& data) {
  Interner& self = instance();
  std::lock_guard lock(self.mutex);
  self.end_use(data);
  while (self.waiting > kSpare || (self.oldest_waiting != nullptr && !self.oldest_waiting->elements.empty()))
    self.forget_oldest();
}

/// Puts an unused shape at the end of the queue; a tuple, which may hold many others, at its front.
void Shape::Interner::end_use(const Data& data) {
  if (data.uses.fetch_sub(1, std::memory_order_acq_rel) > 1 || data.waits) return;
  data.waits = true;
  ++waiting;
  if (!data.elements.empty()) data.next_waiting = std::exchange(oldest_waiting, &data);
  else if (newest_waiting != nullptr) newest_waiting->next_waiting = &data;
  else oldest_waiting = &data;
  if (data.next_waiting == nullptr) newest_waiting = &data;
}

/// Removes the oldest shape from the queue, and from the table unless it is used again. Elements of a tuple are queued
/// in turn, so that deep tuples don't cause recursion.
void Shape::Interner::forget_oldest() {
  static const Head nothing{0, kUncounted};
  const Data& data = *oldest_waiting;
  oldest_waiting = std::exchange(data.next_waiting, nullptr);
  if (oldest_waiting == nullptr) newest_waiting = nullptr;
  data.waits = false;
  --waiting;
  if (data.uses.load(std::memory_order_relaxed) > 0) return;
  table.erase(&data);
  for (Shape& element : data.elements) {
    const Head* head = std::exchange(element.data_, &nothing);
    if (head->uses.load(std::memory_order_relaxed) != kUncounted) end_use(static_cast<const Data&>(*head));
  }
  delete &data;
}

Shape::InternedCounts Shape::interned_counts() {
  Interner& self = Interner::instance();
  std::lock_guard lock(self.mutex);
  InternedCounts counts;
  for (const Data* data : self.table) {
    const int64_t uses = data->uses.load(std::memory_order_relaxed);
    counts.held += uses > 0 ? 1 : 0;
    counts.waiting += uses == 0 ? 1 : 0;
  }
  return counts;
}

const Shape::Data& Shape::data() const { return static_cast<const Data&>(*data_); }

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
  static const auto* const empty = new Shape(tuple({}));  // never destroyed
  data_ = empty->data_;
  hold(data_);
}

Shape::Data::Data(const Parts& parts, size_t hash)
    : Head{hash, {}},
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
  // Tuples of untrusted programs may exceed 2^63 bytes in sum; the sum saturates, and allocation fails.
  for (const Shape& e : elements) {
    byte_size = checked_add(byte_size, e.byte_size()).value_or(INT64_MAX);
    default_layout &= e.has_default_layout();
  }
}

Shape Shape::scalar(ElementType type) {
  // Each is created once and never destroyed, so that requests for a type alone take no lock.
  static const auto* const all = [] {
    auto scalars = std::make_unique<std::vector<Shape>>();
    for (const ElementTypeInfo& info : kElementTypes) scalars->push_back(array(info.type, {}));
    return scalars.release();
  }();
  return (*all)[ordinal(type)];
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
  // The running product skips zeros, so that f32[0,2^40,2^40] is rejected whatever the order of its dimensions.
  int64_t bytes = element_size_bytes(type);
  for (int64_t d : dimensions) {
    if (d < 0) return invalid_argument("shape: negative dimension " + std::to_string(d) + " in " + describe());
    const std::optional<int64_t> product = checked_mul(bytes, std::max<int64_t>(d, 1));
    if (!product) return invalid_argument("shape: " + describe() + " needs more than 2^63-1 bytes");
    bytes = *product;
  }
  return array(type, dimensions);
}

ElementType Shape::element_type() const { return data().type; }
std::span<const int64_t> Shape::dimensions() const { return data().dimensions; }
int64_t Shape::element_count() const { return data().element_count; }
int64_t Shape::byte_size() const { return data().byte_size; }
std::span<const int64_t> Shape::minor_to_major() const { return data().minor_to_major; }
bool Shape::has_default_layout() const { return data().default_layout; }
std::span<const Shape> Shape::tuple_elements() const { return data().elements; }

Shape Shape::with_layout(std::span<const int64_t> minor_to_major) const {
  Parts parts = data().parts();
  parts.minor_to_major = is_descending(minor_to_major) ? std::span<const int64_t>() : minor_to_major;
  return Interner::intern(parts);
}

Shape Shape::with_default_layout() const {
  if (has_default_layout()) return *this;
  if (is_tuple()) return map_leaves([](const Shape& leaf) { return leaf.with_default_layout(); });
  return array(element_type(), dimensions());
}

Shape Shape::with_element_type(ElementType type) const {
  Parts parts = data().parts();
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
    strides[d] = stride;
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
