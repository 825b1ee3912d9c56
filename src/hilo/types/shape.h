// SPDX-License-Identifier: Apache-2.0
// types/shape.h -- the type of a value: element type, dimensions and layout, or a tuple of shapes.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/types/element_type.h"

namespace hilo {

/// An interned, immutable shape. Copies are one pointer; two shapes are equal exactly if they are the same object. What
/// dimensions() and the like show lives as long as a Shape that is equal.
/// The first shapes of a process, kKept of them, live as long as it: most programs have no more, and nothing counts their
/// copies. All others are counted and forgotten when none is held any more, though not at once: kSpare of them wait for
/// someone to ask again.
/// Cost    a copy takes no lock; making a shape takes one, and so does dropping the last copy of a counted one
class Shape {
 public:
  /// The empty tuple.
  Shape();
  // Moves are copies: what was moved from stays a shape.
  Shape(const Shape& other) noexcept : data_(other.data_) { hold(data_); }
  Shape& operator=(const Shape& other) noexcept {
    hold(other.data_);
    drop(std::exchange(data_, other.data_));
    return *this;
  }
  ~Shape() { drop(data_); }
  /// Doesn't compile: sizes alone are no type of a value.
  template <std::integral... Sizes>
    requires(sizeof...(Sizes) > 0)
  explicit(sizeof...(Sizes) == 1) Shape(Sizes...) : Shape() {
    static_assert(sizeof...(Sizes) == 0,
                  "hilo::Shape has an element type: Shape::array(ElementType::kF32, {2, 3}). Sizes alone are "
                  "numpy::Shape{2, 3}, or just {2, 3}: zeros({2, 3})");
  }

  /// A dense row-major array. Precondition (checked by make_array): no negative dimension, size fits int64.
  static Shape array(ElementType type, std::span<const int64_t> dimensions);
  static Shape array(ElementType type, std::initializer_list<int64_t> dimensions) {
    return array(type, std::span<const int64_t>(dimensions.begin(), dimensions.size()));
  }
  static Shape scalar(ElementType type);
  static Shape tuple(std::span<const Shape> elements);
  static Shape tuple(std::initializer_list<Shape> elements) {
    return tuple(std::span<const Shape>(elements.begin(), elements.size()));
  }
  static Shape token();
  static Shape opaque();

  /// As array(), from untrusted numbers.
  /// Errors    INVALID_ARGUMENT for a negative dimension, more than kMaxRank dimensions, or a byte size over 2^63-1.
  static StatusOr<Shape> make_array(ElementType type, std::span<const int64_t> dimensions);
  static constexpr int kMaxRank = 64;

  ElementType element_type() const;
  bool is_array() const { return is_array_type(element_type()); }
  bool is_tuple() const { return element_type() == ElementType::kTuple; }
  bool is_token() const { return element_type() == ElementType::kToken; }

  std::span<const int64_t> dimensions() const;
  int64_t dimension(int64_t i) const { return dimensions()[i]; }
  int64_t rank() const { return std::ssize(dimensions()); }
  bool is_scalar() const { return is_array() && rank() == 0; }

  /// Product of the dimensions (1 for a scalar, 0 if any is 0). Precondition: is_array().
  int64_t element_count() const;
  /// Bytes of a dense array, or the sum over a tuple's leaves.
  int64_t byte_size() const;

  /// Physical order, minor-most first; {r-1, ..., 0} is row-major, the default.
  std::span<const int64_t> minor_to_major() const;
  bool has_default_layout() const;
  Shape with_layout(std::span<const int64_t> minor_to_major) const;
  Shape with_default_layout() const;
  Shape with_element_type(ElementType type) const;
  Shape with_dimensions(std::span<const int64_t> dimensions) const { return array(element_type(), dimensions); }

  std::span<const Shape> tuple_elements() const;
  int64_t tuple_size() const { return std::ssize(tuple_elements()); }
  const Shape& tuple_element(int64_t i) const { return tuple_elements()[i]; }

  /// The same tree with every array leaf replaced by map(leaf).
  Shape map_leaves(const std::function<Shape(const Shape&)>& map) const;
  /// All non-tuple leaves, depth first.
  std::vector<Shape> leaves() const;

  /// Equal but for layouts.
  bool compatible(const Shape& other) const;

  /// "f32[4,3]", "(f32[], s32[2])"; with layouts also "f32[4,3]{1,0}".
  std::string to_string() const;
  std::string to_string_with_layout() const;

  /// Of what the shape is: the same when it is forgotten and made again.
  size_t hash() const { return data_->hash; }
  friend bool operator==(const Shape& a, const Shape& b) { return a.data_ == b.data_; }

  /// Counted shapes that someone holds, and those that wait; for tests.
  struct InternedCounts {
    int64_t held = 0, waiting = 0;
  };
  static InternedCounts interned_counts();
#if HILO_ASSERTIONS
  static constexpr int64_t kKept = 0, kSpare = 0;  // so that sanitizers see whoever looks at a shape that is gone
#else
  static constexpr int64_t kKept = 1024, kSpare = 1024;
#endif

 private:
  /// What copies see of a shape.
  struct Head {
    size_t hash;
    mutable std::atomic<int64_t> uses;  ///< kUncounted, or how many Shapes there are
  };
  struct Data;
  struct Interner;
  static constexpr int64_t kUncounted = -1;
  /// Takes over a use.
  explicit Shape(const Head* data) : data_(data) {}
  const Data& data() const;

  static void hold(const Head* data) {
    if (data->uses.load(std::memory_order_relaxed) != kUncounted) data->uses.fetch_add(1, std::memory_order_relaxed);
  }
  static void drop(const Head* data) {
    if (data->uses.load(std::memory_order_relaxed) != kUncounted) drop_counted(data);
  }
  static void drop_counted(const Head* data);

  const Head* data_;
};

/// Strides in elements of a dense array with the shape's layout, one per dimension.
std::vector<int64_t> strides_of(const Shape& shape);
/// Strides in elements of a dense row-major array.
std::vector<int64_t> row_major_strides(std::span<const int64_t> dimensions);

/// "[4,3]", for messages about dimension lists.
std::string dimensions_to_string(std::span<const int64_t> dimensions);

}  // namespace hilo

template <>
struct std::hash<hilo::Shape> {
  size_t operator()(const hilo::Shape& shape) const { return shape.hash(); }
};
