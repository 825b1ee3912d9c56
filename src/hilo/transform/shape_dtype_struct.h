// SPDX-License-Identifier: Apache-2.0
// transform/shape_dtype_struct.h -- ShapeDtypeStruct: arguments and results of which only shape and type are known.
#pragma once

#include <type_traits>
#include <vector>

#include "hilo/array/array.h"

namespace hilo {

/// A shape and a type in place of an array: as argument of eval_shape and lower, as result of pure_callback.
/// jax.ShapeDtypeStruct.
struct ShapeDtypeStruct {
  ShapeDtypeStruct(std::vector<int64_t> shape, ElementType dtype) : shape(std::move(shape)), dtype(dtype) {}
  /// Returns the shape and type of an array.
  /// Example    ShapeDtypeStruct::like(numpy::ones({2, 3})).shape[1]  // 3
  static ShapeDtypeStruct like(const Array& x) { return {{x.shape().begin(), x.shape().end()}, x.dtype()}; }
  /// Doesn't compile: the shape comes first.
  template <std::same_as<ScalarType> T>
  ShapeDtypeStruct(T dtype, std::vector<int64_t>) : dtype(dtype) {
    static_assert(kNever<T>, "the shape comes first: ShapeDtypeStruct({5, 12}, int32)");
  }
  /// Doesn't compile: types are values, not strings.
  ShapeDtypeStruct(std::vector<int64_t> shape, const char* dtype) = delete;  // ShapeDtypeStruct({5, 12}, int32)
  std::vector<int64_t> shape;
  ElementType dtype;
};

namespace vmap_detail {
/// Returns an array without a value; only its shape and type can be queried.
Array abstract_array(const ShapeDtypeStruct& like);
template <typename T>
const T& abstract(const T& value) {
  return value;
}
inline Array abstract(const ShapeDtypeStruct& value) { return abstract_array(value); }
Array abstract(const Aval& value);
template <typename T>
using Abstract = std::conditional_t<std::is_same_v<T, ShapeDtypeStruct> || std::is_same_v<T, Aval>, Array, T>;
}  // namespace vmap_detail

}  // namespace hilo
