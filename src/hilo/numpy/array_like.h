// SPDX-License-Identifier: Apache-2.0
// numpy/array_like.h -- numpy::array: arrays from numbers, nested lists, vectors and Arrays.
#pragma once

#include <complex>
#include <initializer_list>
#include <optional>
#include <vector>

#include "hilo/array/dlpack.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

/// An argument of numpy::array: a number, an Array, or a list of these.
class ArrayLike {
 public:
  /// The kinds of numbers, ordered so that a list has the type of its greatest kind.
  enum class Kind : uint8_t { kBool, kInteger, kFloat, kComplex, kArray, kList };

  template <Number T>
  ArrayLike(T value)
      : ArrayLike(kind_of<T>(), integer_of(value), complex_of(value)) {}  // implicit: any array-like value converts
  template <NativeElement T>
  ArrayLike(const std::vector<T>& values) : ArrayLike(array_of(values)) {
    is_vector_ = true;
  }
  ArrayLike(const Array& array);
  ArrayLike(std::initializer_list<ArrayLike> elements);
  template <typename T>
    requires(!NativeElement<T> && std::convertible_to<const T&, ArrayLike>)
  ArrayLike(const std::vector<T>& elements) : ArrayLike(std::initializer_list<ArrayLike>()) {
    for (const T& element : elements) append(element);
  }
  // Defined in the .cc file: inline, these would cost every file that includes this header compile time.
  ArrayLike(const ArrayLike& other);
  ArrayLike& operator=(const ArrayLike& other);
  ~ArrayLike();

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }             ///< for a bool or an integer
  std::complex<double> number() const { return number_; }  ///< for every number
  const Array& array() const { return *array_; }
  bool is_vector() const { return is_vector_; }  ///< whether array() holds the numbers of a vector
  const std::vector<ArrayLike>& list() const { return list_; }

 private:
  ArrayLike(Kind kind, int64_t integer, std::complex<double> number);
  template <Number T>
  static constexpr Kind kind_of() {
    if constexpr (std::same_as<T, bool>) return Kind::kBool;
    else if constexpr (std::is_integral_v<T>) return Kind::kInteger;
    else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, hilo::float16> || std::same_as<T, hilo::bfloat16>)
      return Kind::kFloat;
    else return Kind::kComplex;
  }
  template <Number T>
  static int64_t integer_of(T value) {
    if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(value);
    else return 0;
  }
  template <Number T>
  static std::complex<double> complex_of(T value) {
    if constexpr (kind_of<T>() == Kind::kComplex) return std::complex<double>(value);
    else return static_cast<double>(value);
  }
  template <NativeElement T>
  static Array array_of(const std::vector<T>& values) {
    const int64_t extent = values.size();
    if constexpr (std::same_as<T, bool>) return of_flags(values);
    else return Array::from_values(std::span<const T>(values), std::span<const int64_t>(&extent, 1));
  }
  static Array of_flags(const std::vector<bool>& values);
  void append(const ArrayLike& element);

  Kind kind_;
  bool is_vector_ = false;
  int64_t integer_;
  std::complex<double> number_;
  std::optional<Array> array_;
  std::vector<ArrayLike> list_;
};

struct ArrayOptions {
  Dtype dtype = std::nullopt;
  bool copy = true;         ///< no effect: arrays are immutable
  const char* order = "K";  ///< NumPy's order of elements in memory; no effect
  int64_t ndmin = 0;        ///< minimum number of axes; axes of extent 1 are added in front
};
/// Creates an array from a number, a nested list, a vector or an Array. A list of Arrays is stacked, with JAX's
/// promotion.
/// Types     pred from bools, s32 from integers, f32 from floats, c64 from complex numbers; of a vector the type of its
///           numbers. 64-bit types are narrowed to 32 bits unless `jax_enable_x64` is set. An Array keeps its type.
/// Errors    INVALID_ARGUMENT if lists at one depth have different lengths; OUT_OF_RANGE for an integer that the type
///           cannot hold
/// Example   array({{1, 2}, {3, 4}})  // [[1 2] [3 4]]
///           array({1.0, 2.5}, float16)  // [1. 2.5]
///           array({arange(2), array({7, 8})})  // [[0 1] [7 8]]
///           array(std::vector<int>{1, 2}).dtype()  // int32
///           array(std::vector<double>{1, 2}).dtype()  // float32
Array array(const ArrayLike& object, const ArrayOptions& options = {}, Line line = Line::current());
template <int = 0>
Array array(const ArrayLike& object, Dtype dtype, Line line = Line::current()) {
  return array(object, ArrayOptions{.dtype = dtype}, line);
}
struct AsarrayOptions {
  Dtype dtype = std::nullopt;
  std::optional<bool> copy = std::nullopt;  ///< no effect: arrays are immutable
};
/// As array, but a number stays weakly typed. An Array is returned unchanged.
/// Example    asarray({1.0, 2.0})  // [1. 2.]
Array asarray(const ArrayLike& a, const AsarrayOptions& options = {}, Line line = Line::current());
template <int = 0>
Array asarray(const ArrayLike& a, Dtype dtype, Line line = Line::current()) {
  return asarray(a, AsarrayOptions{.dtype = dtype}, line);
}

using hilo::from_dlpack;  ///< see array/dlpack.h

}  // namespace hilo::numpy
