// SPDX-License-Identifier: Apache-2.0
// client/host_array.h -- values in host memory that the builder accepts: literals, strided arrays, C++ numbers and
// vectors.
#pragma once

#include <any>
#include <concepts>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "hilo/device/buffer.h"

namespace hilo {

/// A strided view of an array in host memory, like a NumPy array. Strides are counted in elements; they may be 0
/// (broadcast) or negative. Copies share the memory.
class HostArray {
 public:
  /// Preconditions: `origin` points to element (0, ..., 0) and owns the memory of all elements that the strides reach;
  /// there is one stride per dimension of `shape`.
  HostArray(const Shape& shape, std::vector<int64_t> strides, std::shared_ptr<const std::byte> origin);
  /// Creates a view of a dense array. Precondition: not a tuple.
  explicit HostArray(const Literal& dense);

  /// Returns the shape. Its layout is row-major, regardless of the strides.
  const Shape& shape() const { return shape_; }
  std::span<const int64_t> strides() const { return strides_; }

  /// Broadcasts like numpy.broadcast_to, without a copy: new leading dimensions, and dimensions of extent 1, get
  /// strides of 0.
  /// Errors    INVALID_ARGUMENT if the shapes aren't compatible
  StatusOr<HostArray> broadcast_to(std::span<const int64_t> dimensions) const;
  /// Returns the indices of the dimensions with a stride other than 0.
  std::vector<int64_t> moving_dimensions() const;
  /// Returns a view of these dimensions at index 0 of the other ones. Precondition: `dimensions` ascend.
  HostArray selected(std::span<const int64_t> dimensions) const;
  /// Returns a dense copy.
  /// Errors    RESOURCE_EXHAUSTED
  StatusOr<Literal> to_literal() const;

 private:
  Shape shape_;
  std::vector<int64_t> strides_;
  std::shared_ptr<const std::byte> origin_;
};

/// Converts a C++ value to a literal of the same element type.
inline StatusOr<Literal> as_literal(const Literal& value) { return value; }
inline StatusOr<Literal> as_literal(const HostArray& value) { return value.to_literal(); }
inline StatusOr<Literal> as_literal(const BufferPtr& value) { return literal_from_buffer(*value); }
template <NativeElement T>
StatusOr<Literal> as_literal(T value) {
  return Literal::scalar(value);
}
template <NativeElement T>
  requires(!std::same_as<T, bool>)
StatusOr<Literal> as_literal(const std::vector<T>& values) {
  return Literal::array(std::initializer_list<int64_t>{std::ssize(values)}, std::span<const T>(values));
}

/// Converts 64-bit types to 32-bit types unless jax_enable_x64 is set; tuples element by element.
/// Errors    INVALID_ARGUMENT "Can't convert to XLA: ..." unless the value is an array or a tuple of arrays
StatusOr<Literal> normalize_to_xla_dtypes(const Literal& value);
/// Converts a Literal, HostArray, BufferPtr, C++ number, or a std::vector<std::any> of these, which becomes a tuple.
StatusOr<Literal> normalize_to_xla_dtypes(const std::any& value);

/// Returns the value's shape, with 32-bit types for 64-bit types unless jax_enable_x64 is set.
/// Errors    those of the flag
StatusOr<Shape> shape_of(const Literal& value);
StatusOr<Shape> shape_of(const HostArray& value);
StatusOr<Shape> shape_of(const BufferPtr& value);
template <typename T>
  requires requires(const T& value) { as_literal(value); }
StatusOr<Shape> shape_of(const T& value) {
  HILO_ASSIGN_OR_RETURN(const Literal literal, as_literal(value));
  return shape_of(literal);
}

/// Returns the name of a C++ type for messages: "std::vector<int, ...>".
std::string type_name(const std::type_info& type);

}  // namespace hilo
