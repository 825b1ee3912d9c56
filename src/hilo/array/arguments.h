// SPDX-License-Identifier: Apache-2.0
// array/arguments.h -- arguments of public functions other than arrays: shapes, axes, element types as values.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "hilo/types/element_type.h"

namespace hilo {

class Array;
class Operand;

/// Always false, but dependent on T: for static_asserts in code that doesn't compile.
template <typename T>
inline constexpr bool kNever = false;

/// The shape of a new array: a number, a list, or another array's x.shape(). Users write numpy::Shape, since
/// hilo::Shape is the type of a value.
/// Example    numpy::zeros({2, 3});  numpy::zeros(3);  numpy::ones(x.shape())
///            x.shape() == numpy::Shape{2, 3}
class Dimensions : public std::vector<int64_t> {
 public:
  Dimensions() = default;
  template <std::integral T>
  Dimensions(T extent) : vector{static_cast<int64_t>(extent)} {}  // implicit, as in NumPy
  Dimensions(std::initializer_list<int64_t> extents) : vector(extents) {}
  Dimensions(std::vector<int64_t> extents) : vector(std::move(extents)) {}
  Dimensions(std::span<const int64_t> extents) : vector(extents.begin(), extents.end()) {}
  Dimensions(const std::vector<int>& extents) : vector(extents.begin(), extents.end()) {}
  /// Converts an integer array, a scalar or a vector, to a shape.
  /// Errors     INVALID_ARGUMENT for other types and ranks; ConcretizationError on a tracer, because a shape is part of
  ///            a program
  Dimensions(const Array& extents, std::source_location location = std::source_location::current());
  template <std::input_iterator Iterator>
  Dimensions(Iterator begin, Iterator end) : vector(begin, end) {}

  template <std::same_as<std::span<const int64_t>> Extents>
  friend bool operator==(Extents extents, const Dimensions& dimensions) {
    return extents.size() == dimensions.size() && std::equal(extents.begin(), extents.end(), dimensions.begin());
  }
};

/// The first member of options whose function also takes a list by position. max(x, {0, 1}) thus means axes, and
/// options are named: max(x, {.axis = 0, .keepdims = true}). Only its default value can be used here.
struct Named {
  explicit Named() = default;
};

/// A member of options that must be set.
template <typename T>
struct Required {
  template <std::convertible_to<T> U>
  Required(U given) : value(static_cast<T>(given)) {}  // implicit, so that users can write plain values
  T value;
};

/// One axis, several, or all of them (the default): sum(x), sum(x, 0), sum(x, {0, 1}).
class Axes {
 public:
  Axes(std::nullopt_t = std::nullopt) {}  // implicit, as in NumPy
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Axes(T axis) : kind_(Kind::kOne), axes_{static_cast<int64_t>(axis)} {}
  Axes(std::initializer_list<int64_t> axes) : kind_(Kind::kList), axes_(axes) {}
  Axes(std::vector<int64_t> axes) : kind_(Kind::kList), axes_(std::move(axes)) {}
  Axes(std::optional<int64_t> axis) {
    if (axis) *this = Axes(*axis);
  }
  explicit operator bool() const { return kind_ != Kind::kAll; }
  const std::vector<int64_t>& operator*() const { return axes_; }
  bool is_list() const { return kind_ == Kind::kList; }  ///< {2} instead of 2; split and tile distinguish these

 private:
  enum class Kind : uint8_t { kAll, kOne, kList };
  Kind kind_ = Kind::kAll;
  std::vector<int64_t> axes_;
};

/// A shape or none, in options: {.shape = {2, 3}}.
class OptionalDimensions {
 public:
  OptionalDimensions(std::nullopt_t) : has_value_(false) {}  // all implicit
  OptionalDimensions(std::initializer_list<int64_t> extents) : has_value_(true), value_(extents) {}
  template <std::convertible_to<Dimensions> T>
  OptionalDimensions(const T& extents) : has_value_(true), value_(extents) {}
  template <std::convertible_to<Dimensions> T>
  OptionalDimensions(const std::optional<T>& extents) : has_value_(extents.has_value()) {
    if (extents) value_ = Dimensions(*extents);
  }
  explicit operator bool() const { return has_value_; }
  const Dimensions& operator*() const { return value_; }
  const Dimensions* operator->() const { return &value_; }

 private:
  bool has_value_;
  Dimensions value_;
};

/// An element type as a value, with JAX's name. Converts to ElementType; called with a number or an array, it converts
/// that, as jnp.float32(1) does.
/// Example    numpy::zeros({3}, int32);  x.astype(float32);  x.dtype() == float32;  numpy::float32(1)
struct ScalarType {
  ElementType type;
  constexpr operator ElementType() const { return type; }  // implicit
  Array operator()(const Operand& x) const;
};

// Some names are C++ types in this namespace: float16, bfloat16, and the narrow floats and integers that C++ lacks
// (float8_e5m2, int4, ...). Their values are in numpy: numpy::bfloat16.
inline constexpr ScalarType bool_{ElementType::kPred}, int8{ElementType::kS8}, int16{ElementType::kS16},
    int32{ElementType::kS32}, int64{ElementType::kS64}, uint8{ElementType::kU8}, uint16{ElementType::kU16},
    uint32{ElementType::kU32}, uint64{ElementType::kU64}, float32{ElementType::kF32}, float64{ElementType::kF64},
    complex64{ElementType::kC64}, complex128{ElementType::kC128};

}  // namespace hilo
