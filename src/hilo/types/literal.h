// SPDX-License-Identifier: Apache-2.0
// types/literal.h -- a value in host memory: a dense row-major array, or a tuple of literals.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hilo/types/shape.h"

namespace hilo {

class AlignedBuffer;

/// A host value. Copies share the bytes until mutable_data() is called, which copies them first.
class Literal {
 public:
  /// Creates the empty tuple.
  Literal() = default;
  /// Creates an array of zeros.
  /// Precondition: shape is an array (or token) that fits in memory; see make()
  explicit Literal(const Shape& shape);
  /// Creates an array of zeros.
  /// Errors     RESOURCE_EXHAUSTED if the memory can't be allocated
  static StatusOr<Literal> make(const Shape& shape);
  static Literal tuple(std::vector<Literal> elements);

  template <NativeElement T>
  static Literal scalar(T value) {
    Literal literal(Shape::scalar(element_type_of<T>));
    literal.data<T>()[0] = value;
    return literal;
  }
  /// Precondition: values.size() is the product of the dimensions
  template <NativeElement T>
  static Literal array(std::span<const int64_t> dimensions, std::span<const T> values) {
    Literal literal(Shape::array(element_type_of<T>, dimensions));
    std::copy(values.begin(), values.end(), literal.data<T>().begin());
    return literal;
  }
  template <NativeElement T>
  static Literal array(std::initializer_list<int64_t> dimensions, std::initializer_list<T> values) {
    return array<T>(std::span<const int64_t>(dimensions.begin(), dimensions.size()),
                    std::span<const T>(values.begin(), values.size()));
  }
  /// Copies bytes in row-major order.
  /// Precondition: bytes.size() == shape.byte_size()
  static Literal from_bytes(const Shape& shape, std::span<const std::byte> bytes);

  const Shape& shape() const { return shape_; }
  bool is_tuple() const { return shape_.is_tuple(); }
  std::span<const Literal> elements() const;
  std::vector<Literal> release_elements() &&;

  std::span<const std::byte> bytes() const;
  std::span<std::byte> mutable_bytes();

  /// Returns the elements.
  /// Precondition: T is the native twin of the element type (1-byte types without a twin may be read as uint8_t)
  template <typename T>
  std::span<const T> data() const {
    return {reinterpret_cast<const T*>(bytes().data()), static_cast<size_t>(shape_.element_count())};
  }
  template <typename T>
  std::span<T> data() {
    return {reinterpret_cast<T*>(mutable_bytes().data()), static_cast<size_t>(shape_.element_count())};
  }

  /// Returns the same bytes with another shape of the same byte size.
  Literal reshaped(const Shape& shape) const;

  /// Returns whether shape and bytes are equal.
  bool identical(const Literal& other) const;

  /// Returns "f32[2,2] {{1, 2}, {3, 4}}"; at most `max_elements` values, then "...".
  std::string to_string(int64_t max_elements = 1000) const;

 private:
  Shape shape_;
  std::shared_ptr<AlignedBuffer> data_;  // null for tuples
  std::vector<Literal> elements_;
};

/// Returns one element as in HLO text, "1", "-inf", "true", "(1, 2)": the shortest text that reads back exactly.
std::string element_to_string(ElementType type, const std::byte* element);

/// Returns element `index` as a double (the real part of a complex number).
/// Precondition: the type has a native twin
double element_as_double(const Literal& literal, int64_t index);

/// Returns a literal with every element set to `value`, converted as C++ does.
Literal filled(const Shape& shape, double value);

}  // namespace hilo
