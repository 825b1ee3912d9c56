// SPDX-License-Identifier: Apache-2.0
// numpy/array_like.h -- numpy::array of numbers, lists nested to any depth, vectors, and Arrays.
#pragma once

#include <complex>
#include <initializer_list>
#include <optional>
#include <vector>

#include "hilo/array/dlpack.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

/// What numpy::array takes: a number, an Array, or a list of such.
class ArrayLike {
 public:
  /// Numbers in the order in which a list of several takes its type.
  enum class Kind : uint8_t { kBool, kInteger, kFloat, kComplex, kArray, kList };

  template <Number T>
  ArrayLike(T value)
      : ArrayLike(kind_of<T>(), integer_of(value), complex_of(value)) {}  // whatever is like an array converts
  template <NativeElement T>
  ArrayLike(const std::vector<T>& values) : ArrayLike(array_of(values)) {}
  ArrayLike(const Array& array);
  ArrayLike(std::initializer_list<ArrayLike> elements);
  template <typename T>
    requires(!NativeElement<T> && std::convertible_to<const T&, ArrayLike>)
  ArrayLike(const std::vector<T>& elements) : ArrayLike(std::initializer_list<ArrayLike>()) {
    for (const T& element : elements) append(element);
  }
  // Not inline: what they need of the standard library costs every file that includes this more than the rest of it.
  ArrayLike(const ArrayLike& other);
  ArrayLike& operator=(const ArrayLike& other);
  ~ArrayLike();

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }             ///< of a bool or an integer
  std::complex<double> number() const { return number_; }  ///< of every number
  const Array& array() const { return *array_; }
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
  int64_t integer_;
  std::complex<double> number_;
  std::optional<Array> array_;
  std::vector<ArrayLike> list_;
};

/// An array of what is given, in its own type: integers from integers, pred from bools, complex numbers from complex ones;
/// a list of Arrays is stacked, with JAX's promotion. Types of 64 bits become 32 bits wide without jax_enable_x64.
/// Errors     INVALID_ARGUMENT where lists at one depth have different lengths; OUT_OF_RANGE for an integer that the type
///            can't hold
/// Example    array({{1, 2}, {3, 4}}) is s32[2,2]; array({1.0, 2.0}, float16); array({x, y}); array(std::vector<int>{1, 2})
struct ArrayOptions {
  Dtype dtype = std::nullopt;
  bool copy = true;         ///< an array never changes: the result is the same without one
  const char* order = "K";  ///< NumPy's; the elements' places in memory are hilo's business
  int64_t ndmin = 0;        ///< axes of extent 1 come in front until there are as many
};
Array array(const ArrayLike& object, const ArrayOptions& options = {}, Line line = Line::current());
template <int = 0>
Array array(const ArrayLike& object, Dtype dtype, Line line = Line::current()) {
  return array(object, ArrayOptions{.dtype = dtype}, line);
}
/// The same; an Array stays as it is, a number stays weakly typed.
struct AsarrayOptions {
  Dtype dtype = std::nullopt;
  std::optional<bool> copy = std::nullopt;  ///< an array never changes: the result is the same with one
};
Array asarray(const ArrayLike& a, const AsarrayOptions& options = {}, Line line = Line::current());
template <int = 0>
Array asarray(const ArrayLike& a, Dtype dtype, Line line = Line::current()) {
  return asarray(a, AsarrayOptions{.dtype = dtype}, line);
}

using hilo::from_dlpack;  ///< array/dlpack.h

}  // namespace hilo::numpy
