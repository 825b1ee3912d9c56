// SPDX-License-Identifier: Apache-2.0
// numpy/array_like.h -- numpy::array of numbers, lists nested to any depth, vectors, and Arrays.
#pragma once

#include <initializer_list>
#include <variant>
#include <vector>

#include "hilo/numpy/dtypes.h"
#include "hilo/trace/dlpack.h"

namespace hilo::numpy {

/// What numpy::array takes: a number, an Array, or a list of such.
class ArrayLike {
 public:
  using Leaf = std::variant<bool, int64_t, double, std::complex<double>, Array>;
  using List = std::vector<ArrayLike>;

  template <Number T>
  ArrayLike(T value) : value_(leaf(value)) {}  // NOLINT: whatever is like an array converts
  template <NativeElement T>
  ArrayLike(const std::vector<T>& values) : value_(Leaf(array_of(values))) {}       // NOLINT
  ArrayLike(const Array& array) : value_(Leaf(array)) {}                            // NOLINT
  ArrayLike(std::initializer_list<ArrayLike> elements) : value_(List(elements)) {}  // NOLINT
  template <typename T>
    requires(!NativeElement<T> && std::convertible_to<const T&, ArrayLike>)
  ArrayLike(const std::vector<T>& elements) : value_(List(elements.begin(), elements.end())) {}  // NOLINT

  const List* list() const { return std::get_if<List>(&value_); }
  const Leaf& leaf() const { return std::get<Leaf>(value_); }

 private:
  template <Number T>
  static Leaf leaf(T value) {
    if constexpr (std::same_as<T, bool>) return value;
    else if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(value);
    else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, hilo::float16> || std::same_as<T, hilo::bfloat16>)
      return static_cast<double>(value);
    else return std::complex<double>(value);
  }
  template <NativeElement T>
  static Array array_of(const std::vector<T>& values) {
    const std::vector<int64_t> shape = {static_cast<int64_t>(values.size())};
    if constexpr (std::same_as<T, bool>) return of_flags(values);
    else return Array::from_values(std::span<const T>(values), shape);
  }
  static Array of_flags(const std::vector<bool>& values);

  std::variant<Leaf, List> value_;
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

using hilo::from_dlpack;  ///< trace/dlpack.h

}  // namespace hilo::numpy
