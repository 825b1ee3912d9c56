// SPDX-License-Identifier: Apache-2.0
// tools/jax_api/runtime/values.h -- what a recorded call takes and gives: Python's values as one C++ type.
#pragma once

#include <boost/pfr/core.hpp>
#include <complex>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hilo/hilo.h"

namespace hilo::jax_api {

/// A value of Python, from a row or from a call of hilo.
struct Value {
  enum class Kind { kNone, kBool, kInteger, kReal, kComplex, kText, kType, kArray, kKey, kList, kOpaque };
  Kind kind = Kind::kNone;
  int64_t integer = 0;          ///< kBool, kInteger
  std::complex<double> number;  ///< kBool, kInteger, kReal, kComplex
  std::string text;             ///< kText
  ElementType type = ElementType::kOpaque;
  std::optional<Array> array;  ///< kArray, kKey
  std::vector<Value> items;  ///< kList: lists, tuples, maps in the order of their keys, structs in the order of fields
};

/// The arrays and keys of a row, in the order in which they are recorded.
struct Inputs {
  std::vector<Array> arrays;
  std::vector<random::Key> keys;

  const Array& array(size_t i) const { return arrays.at(i); }
  const random::Key& key(size_t i) const { return keys.at(i); }
};

/// A recorded call, written in C++.
using Form = Value (*)(const Inputs&);

Value value_of(const Array& x);
Value value_of(const random::Key& x);
Value value_of(ElementType x);
Value value_of(const ScalarType& x);
inline Value value_of(numpy::DefaultType x) { return value_of(ElementType(x)); }
Value value_of(const std::string& x);
Value value_of(const Range& x);
Value value_of(const Indexer& x);
Value value_of(std::nullopt_t);
Value value_of(numpy::TypeKind);
Value value_of_bool(bool x);
Value value_of_integer(int64_t x);
Value value_of_real(double x);
Value value_of_complex(std::complex<double> x);
Value list_of(std::vector<Value> items);
inline Value value_of(const char* x) { return value_of(std::string(x)); }
inline Value value_of(std::string_view x) { return value_of(std::string(x)); }
inline Value value_of(Ellipsis) { return value_of(Indexer(ellipsis)); }
inline Value value_of(NewAxis) { return value_of(std::nullopt); }

template <typename T>
concept ListLike = requires(const T& x) {
  x.begin();
  x.end();
};
template <typename T>
concept MapLike = ListLike<T> && requires { typename T::mapped_type; };

/// Whatever else a function of hilo gives: numbers, optionals, lists, tuples, maps and structs of such.
template <typename T>
Value value_of(const T& x);

template <typename T>
Value value_of_struct(const T& x) {
  std::vector<Value> items;
  if constexpr (tree_detail::HasFields<T>) {
    const_cast<T&>(x).hilo_tree_fields().for_each([&](const auto& field, size_t) { items.push_back(value_of(field)); });
  } else {
    boost::pfr::for_each_field(x, [&](const auto& field) { items.push_back(value_of(field)); });
  }
  return list_of(std::move(items));
}

template <typename T>
Value value_of(const T& x) {
  if constexpr (std::is_base_of_v<random::Key, T>) return value_of(static_cast<const random::Key&>(x));
  else if constexpr (std::is_same_v<T, bool>) return value_of_bool(x);
  else if constexpr (std::is_integral_v<T>) return value_of_integer(static_cast<int64_t>(x));
  else if constexpr (std::is_floating_point_v<T>) return value_of_real(x);
  else if constexpr (std::is_convertible_v<T, std::complex<double>> && !std::is_convertible_v<T, Array>)
    return value_of_complex(x);
  else if constexpr (tree_detail::IsOptional<T>::value) return x ? value_of(*x) : Value();
  else if constexpr (tree_detail::IsTuple<T>::value) {
    return std::apply([](const auto&... part) { return list_of({value_of(part)...}); }, x);
  } else if constexpr (MapLike<T>) {
    std::vector<Value> items;
    for (const auto& [key, item] : x) items.push_back(value_of(item));
    return list_of(std::move(items));
  } else if constexpr (ListLike<T>) {
    std::vector<Value> items;
    for (const auto& item : x) items.push_back(value_of(item));
    return list_of(std::move(items));
  } else if constexpr (std::is_convertible_v<const T&, Array>) {
    return value_of(static_cast<Array>(x));
  } else if constexpr (tree_detail::HasFields<T> || std::is_aggregate_v<T>) {
    return value_of_struct(x);
  } else {
    Value opaque;
    opaque.kind = Value::Kind::kOpaque;
    return opaque;
  }
}

/// Its arrays, depth first, without those of keys.
std::vector<Array> arrays_of(const Value& value);
/// For messages: "f32[3]", "[f32[], 3]".
std::string describe(const Value& value);

/// JAX's name of a type: float32 for f32.
ElementType type_of_name(const std::string& name);
std::string name_of_type(ElementType type);

}  // namespace hilo::jax_api
