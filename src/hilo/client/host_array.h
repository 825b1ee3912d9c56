// SPDX-License-Identifier: Apache-2.0
// client/host_array.h -- values on the host as the builder takes them: literals, strided arrays, C++ numbers and
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

/// A strided view of an array in host memory, as NumPy's: for each dimension a stride, here in elements, which may be 0
/// (the same elements again) or negative. Copies share the memory.
class HostArray {
 public:
  /// Precondition: `origin`, element (0, ..., 0), and all elements that the strides reach are in memory that it owns,
  /// and there is a stride for each dimension of `shape`.
  HostArray(const Shape& shape, std::vector<int64_t> strides, std::shared_ptr<const std::byte> origin);
  /// All of a dense array. Precondition: no tuple.
  explicit HostArray(const Literal& dense);

  /// Row-major, whatever the strides are.
  const Shape& shape() const { return shape_; }
  std::span<const int64_t> strides() const { return strides_; }

  /// The same elements repeated along new leading dimensions and dimensions of extent 1, as numpy.broadcast_to: no
  /// copy, but strides of 0.
  /// Errors    INVALID_ARGUMENT if the shapes don't fit
  StatusOr<HostArray> broadcast_to(std::span<const int64_t> dimensions) const;
  /// The numbers of the dimensions whose stride isn't 0.
  std::vector<int64_t> moving_dimensions() const;
  /// These dimensions alone; element 0 of the others. Precondition: `dimensions` ascend.
  HostArray selected(std::span<const int64_t> dimensions) const;
  /// A dense copy. Errors    RESOURCE_EXHAUSTED
  StatusOr<Literal> to_literal() const;

 private:
  Shape shape_;
  std::vector<int64_t> strides_;
  std::shared_ptr<const std::byte> origin_;
};

/// A C++ value as a literal of its own element type.
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

/// The value with 64-bit types made 32-bit ones unless jax_enable_x64; tuples element by element.
/// Errors    INVALID_ARGUMENT "Can't convert to XLA: ..." for what is no array or tuple of arrays
StatusOr<Literal> normalize_to_xla_dtypes(const Literal& value);
/// The same for any value: a Literal, HostArray, BufferPtr, C++ number, or a std::vector<std::any> of such: a tuple.
StatusOr<Literal> normalize_to_xla_dtypes(const std::any& value);

/// The shape of a value with 64-bit types made 32-bit ones unless jax_enable_x64.
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

/// "std::vector<int, ...>": a C++ type as messages name it.
std::string type_name(const std::type_info& type);

}  // namespace hilo
