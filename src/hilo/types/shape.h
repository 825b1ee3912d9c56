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

/// An interned, immutable shape. Copies are one pointer, and equal shapes are the same object. Views such as
/// dimensions() are valid as long as an equal Shape exists. The first kKept shapes of a process are never destroyed,
/// and their copies aren't counted; most programs have no more. All others are counted. When unused, up to kSpare of
/// them are retained for reuse.
/// Cost       a copy takes no lock; creating a shape takes one, and so does destroying the last copy of a counted one
class Shape {
 public:
  /// Creates the empty tuple.
  Shape();
  // Moves copy, so that a moved-from Shape remains valid.
  Shape(const Shape& other) noexcept : data_(other.data_) { hold(data_); }
  Shape& operator=(const Shape& other) noexcept {
    hold(other.data_);
    drop(std::exchange(data_, other.data_));
    return *this;
  }
  ~Shape() { drop(data_); }
  /// Doesn't compile: sizes alone don't specify a value's type.
  template <std::integral... Sizes>
    requires(sizeof...(Sizes) > 0)
  explicit(sizeof...(Sizes) == 1) Shape(Sizes...) : Shape() {
    static_assert(sizeof...(Sizes) == 0,
                  "hilo::Shape has an element type: Shape::array(ElementType::kF32, {2, 3}). Sizes alone are "
                  "numpy::Shape{2, 3}, or just {2, 3}: zeros({2, 3})");
  }

  /// Returns a dense row-major array shape.
  /// Precondition: no negative dimension, size fits int64; make_array checks this
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

  /// Returns a dense row-major array shape from untrusted numbers.
  /// Errors     INVALID_ARGUMENT for a negative dimension, more than kMaxRank dimensions, or a byte size over 2^63-1
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

  /// Returns the product of the dimensions (1 for a scalar, 0 if any is 0).
  /// Precondition: is_array()
  int64_t element_count() const;
  /// Returns the bytes of a dense array, or the sum over a tuple's leaves.
  int64_t byte_size() const;

  /// Returns the physical order, minor-most first; {r-1, ..., 0} is row-major, the default.
  std::span<const int64_t> minor_to_major() const;
  bool has_default_layout() const;
  Shape with_layout(std::span<const int64_t> minor_to_major) const;
  Shape with_default_layout() const;
  Shape with_element_type(ElementType type) const;
  Shape with_dimensions(std::span<const int64_t> dimensions) const { return array(element_type(), dimensions); }

  std::span<const Shape> tuple_elements() const;
  int64_t tuple_size() const { return std::ssize(tuple_elements()); }
  const Shape& tuple_element(int64_t i) const { return tuple_elements()[i]; }

  /// Returns the same tree with every array leaf replaced by map(leaf).
  Shape map_leaves(const std::function<Shape(const Shape&)>& map) const;
  /// Returns all non-tuple leaves, depth first.
  std::vector<Shape> leaves() const;

  /// Returns whether the shapes are equal except for layouts.
  bool compatible(const Shape& other) const;

  /// Returns "f32[4,3]", "(f32[], s32[2])"; with layouts also "f32[4,3]{1,0}".
  std::string to_string() const;
  std::string to_string_with_layout() const;

  /// Returns a hash of the shape's content, which stays the same when the shape is destroyed and created again.
  size_t hash() const { return data_->hash; }
  friend bool operator==(const Shape& a, const Shape& b) { return a.data_ == b.data_; }

  /// Numbers of counted shapes in use and of retained ones; for tests.
  struct InternedCounts {
    int64_t held = 0, waiting = 0;
  };
  static InternedCounts interned_counts();
#if HILO_ASSERTIONS
  static constexpr int64_t kKept = 0, kSpare = 0;  // lets sanitizers detect accesses to destroyed shapes
#else
  static constexpr int64_t kKept = 1024, kSpare = 1024;
#endif

 private:
  /// The part of a shape that copies access.
  struct Head {
    size_t hash;
    mutable std::atomic<int64_t> uses;  ///< kUncounted, or the number of Shapes
  };
  struct Data;
  struct Interner;
  static constexpr int64_t kUncounted = -1;
  /// Adopts a use that the caller has counted.
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

/// Returns the strides, in elements, of a dense array with the shape's layout; one per dimension.
std::vector<int64_t> strides_of(const Shape& shape);
/// Returns the strides, in elements, of a dense row-major array.
std::vector<int64_t> row_major_strides(std::span<const int64_t> dimensions);

/// Returns "[4,3]", for messages about dimension lists.
std::string dimensions_to_string(std::span<const int64_t> dimensions);

}  // namespace hilo

template <>
struct std::hash<hilo::Shape> {
  size_t operator()(const hilo::Shape& shape) const { return shape.hash(); }
};
