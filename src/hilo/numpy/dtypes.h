// SPDX-License-Identifier: Apache-2.0
// numpy/dtypes.h -- element types: values with JAX's names, their limits, and promotion.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "hilo/array/array.h"

namespace hilo::numpy {

namespace detail {
[[noreturn]] void refuse_count(const char* function, size_t got, size_t expected);
}  // namespace detail

using Shape = Dimensions;
using ndarray = Array;  ///< NumPy's name
using hilo::Axes;
using OptionalShape = OptionalDimensions;
/// The type of a new array. Defaults: f32 for floats, s32 for integers (f64 and s64 with jax_enable_x64). Without it,
/// s64, u64, f64 and c128 are narrowed to half their width, with a warning on the first use.
using Dtype = std::optional<ElementType>;
/// A list of arrays, or one array that stands for its slices along the first axis.
class Arrays {
 public:
  Arrays(std::initializer_list<Array> arrays) : arrays_(arrays) {}  // implicit: lists and arrays convert
  Arrays(std::vector<Array> arrays) : arrays_(std::move(arrays)) {}
  template <ArrayList List>
    requires(!std::same_as<List, std::vector<Array>>)
  Arrays(const List& list) : arrays_(list) {}
  template <ArrayParts Parts>
    requires(!ArrayList<Parts>)
  Arrays(const Parts& parts) : arrays_(hilo::list_of(parts)) {}
  Arrays(const Array& array, std::source_location line = std::source_location::current());
  const std::vector<Array>& list() const { return arrays_; }

 private:
  std::vector<Array> arrays_;
};
/// A list of N arrays: auto [x, y] = meshgrid(a, b). Converts from and to std::vector.
template <size_t N>
class ArrayTuple : public std::array<Array, N> {
 public:
  ArrayTuple(const std::vector<Array>& arrays) {  // implicit: a list of N arrays
    for (size_t i = 0; i < N; ++i) (*this)[i] = arrays[i];
  }
  operator std::vector<Array>() const { return {this->begin(), this->end()}; }  // implicit
};
/// A list of arrays; if it has one element, it converts to that array.
class OneOrMore : public std::vector<Array> {
 public:
  OneOrMore(std::vector<Array> arrays) : vector(std::move(arrays)) {}  // implicit: lists convert
  /// Errors    INVALID_ARGUMENT for a list of several arrays
  operator Array() const {  // NumPy returns a single array without a list
    if (size() != 1) detail::refuse_count("a single array", size(), 1);
    return front();
  }
  /// Returns the i-th array of the list, or x[i] if the list has one array x.
  /// Errors    OUT_OF_RANGE for an index that is too large
  Array operator[](const Indexer& i) const;
};
/// Converts a list to a tuple of N arrays.
/// Errors    INVALID_ARGUMENT for another length
template <size_t N>
ArrayTuple<N> exactly(const char* function, const std::vector<Array>& arrays) {
  if (arrays.size() != N) detail::refuse_count(function, arrays.size(), N);
  return arrays;
}
/// The line of a call that has no Operand. The default argument fills it in.
using Line = std::source_location;

using hilo::Named;

/// Passes the type by name: zeros({3}, {.dtype = int32}) is zeros({3}, int32).
struct DtypeOptions {
  Dtype dtype = std::nullopt;
};

using hilo::bool_, hilo::int8, hilo::int16, hilo::int32, hilo::int64;
using hilo::float32, hilo::float64, hilo::complex64, hilo::complex128;
using hilo::uint8, hilo::uint16, hilo::uint32, hilo::uint64;
inline constexpr ScalarType float16{ElementType::kF16}, bfloat16{ElementType::kBf16};
// int4, float8_e5m2, ...
#define HILO_NARROW_TYPE(enumerator, name, twin, ...) inline constexpr ScalarType twin{ElementType::k##enumerator};
#include "hilo/types/element_types.inc"
// Aliases, by NumPy's names.
inline constexpr ScalarType double_ = float64, single = float32, cdouble = complex128, csingle = complex64;
/// A 64-bit type; narrowed to 32 bits unless jax_enable_x64 is set.
struct DefaultType {
  ElementType wide;
  operator ElementType() const { return canonical_type(wide); }  // implicit
  Array operator()(const Operand& x) const { return ScalarType{canonical_type(wide)}(x); }
};
inline constexpr DefaultType int_{ElementType::kS64}, uint{ElementType::kU64}, float_{ElementType::kF64},
    complex_{ElementType::kC128};
using hilo::newaxis;
inline constexpr double pi = 3.141592653589793, e = 2.718281828459045, euler_gamma = 0.5772156649015329;
inline constexpr double inf = __builtin_inf(), nan = __builtin_nan("");

/// The limits of a float type (for complex types, of their parts).
struct FloatInfo {
  ElementType dtype;
  int bits, nmant, nexp, minexp, maxexp, precision;
  double eps, epsneg, max, min, tiny, smallest_normal, smallest_subnormal, resolution;
};
/// Returns the limits of a float type.
/// Errors    INVALID_ARGUMENT for a type that is not floating
/// Example   finfo(float32).eps  // 1.19209e-07
FloatInfo finfo(ElementType dtype, Line line = Line::current());
FloatInfo finfo(const Operand& x);
/// The limits of an integer type.
struct IntegerInfo {
  ElementType dtype;
  int bits;
  int64_t min;
  uint64_t max;
};
/// Returns the limits of an integer type.
/// Errors    INVALID_ARGUMENT for a type that is not an integer type
/// Example   iinfo(int32).max  // 2147483647
IntegerInfo iinfo(ElementType dtype, Line line = Line::current());
IntegerInfo iinfo(const Operand& x);

/// Returns the common type of two types, by JAX's promotion lattice.
/// Example    promote_types(int32, float16)  // float16
ElementType promote_types(ElementType a, ElementType b);
/// An argument of result_type: an Array, a number (weakly typed), or a type.
class TypeArgument {
 public:
  // implicit: arrays, numbers and types convert
  TypeArgument(ElementType type) : aval_{hilo::Shape::scalar(type), false} {}
  TypeArgument(ScalarType type) : TypeArgument(type.type) {}
  TypeArgument(DefaultType type) : TypeArgument(ElementType(type)) {}
  TypeArgument(const Operand& x) : aval_(x.array().aval()) {}
  TypeArgument(const Array& x) : aval_(x.aval()) {}
  template <Number T>
  TypeArgument(T value) : TypeArgument(Array(value)) {}
  const Aval& aval() const { return aval_; }

 private:
  Aval aval_;
};
/// Returns the type to which JAX promotes these arguments.
ElementType result_type_of(std::span<const TypeArgument> arguments);
template <typename... Arguments>
  requires(sizeof...(Arguments) > 0 && (std::convertible_to<Arguments, TypeArgument> && ...))
/// Returns the type to which JAX promotes these arguments: arrays, numbers (weakly typed) and types.
/// Example    result_type(float16, 1.0)  // float16
ElementType result_type(const Arguments&... arguments) {
  const TypeArgument list[] = {TypeArgument(arguments)...};
  return numpy::result_type_of(list);
}

/// Returns whether `from` can be cast to `to`, by NumPy's rules.
/// casting    "no", "equiv", "safe" (preserves all values), "same_kind" or "unsafe"
bool can_cast(ElementType from, ElementType to, std::string_view casting = "safe");
/// A category of types: the abstract classes of NumPy's type hierarchy.
enum class TypeKind : uint8_t {
  kGeneric,
  kNumber,
  kInteger,
  kSignedInteger,
  kUnsignedInteger,
  kInexact,
  kFloating,
  kComplexFloating,
  kBool,
};
inline constexpr TypeKind generic = TypeKind::kGeneric, number = TypeKind::kNumber, integer = TypeKind::kInteger,
                          signedinteger = TypeKind::kSignedInteger, unsignedinteger = TypeKind::kUnsignedInteger,
                          inexact = TypeKind::kInexact, floating = TypeKind::kFloating,
                          complexfloating = TypeKind::kComplexFloating;
/// Returns whether a type belongs to a category.
bool issubdtype(ElementType arg1, TypeKind arg2);
bool issubdtype(ElementType arg1, ElementType arg2);
/// Returns whether `dtype` is that type, or of a kind: "bool", "signed integer", "unsigned integer", "integral", "real
/// floating", "complex floating", "numeric".
bool isdtype(ElementType dtype, std::string_view kind, Line line = Line::current());
bool isdtype(ElementType dtype, ElementType kind);

/// Converts elements to another type. Floats to integers truncate and saturate; NaN becomes 0.
/// Example    astype(array({1.7, -2.5}), int32)  // [ 1 -2]
Array astype(const Operand& x, ElementType dtype);
/// Reinterprets the bytes as another type. If the widths differ, the last axis grows or shrinks.
/// Errors    INVALID_ARGUMENT if the last axis cannot be divided
Array view(const Operand& x, ElementType dtype);

/// Reverses the order of the bytes of each element.
Array byteswap(const Operand& x);
/// Returns the number of bytes of an element.
inline int64_t itemsize(const Operand& x) { return element_size_bytes(x.array().dtype()); }
/// Returns the number of bytes of all elements.
inline int64_t nbytes(const Operand& x) { return itemsize(x) * x.array().size(); }
/// Returns the number of axes.
inline int64_t ndim(const Operand& x) { return x.array().ndim(); }
/// Returns the number of elements, or the product of the extents of some axes.
inline int64_t size(const Operand& x) { return x.array().size(); }
int64_t size(const Operand& x, const Axes& axis);
/// Returns the extents.
inline std::vector<int64_t> shape(const Operand& x) { return {x.array().shape().begin(), x.array().shape().end()}; }
/// Returns whether the array has no axes.
inline bool isscalar(const Operand& x) { return x.array().ndim() == 0; }
template <typename T>
bool isscalar(std::initializer_list<T>) {
  return false;
}
template <typename T>
  requires(!OperandLike<const T&>)
bool isscalar(const T&) {
  return false;
}
/// Returns whether the array has at least one axis.
inline bool iterable(const Operand& x) { return x.array().ndim() > 0; }
/// Returns whether the type is complex.
inline bool iscomplexobj(const Operand& x) { return is_complex(x.array().dtype()); }
inline bool iscomplexobj(std::nullopt_t) { return false; }
/// Returns whether the type is not complex.
inline bool isrealobj(const Operand& x) { return !is_complex(x.array().dtype()); }

}  // namespace hilo::numpy

/// Fails to compile with a readable message: auto [i, j] = where(x), where the number of arrays is not known at compile
/// time.
template <std::same_as<hilo::Array> T>
struct std::tuple_size<std::vector<T>> {
  static_assert(!std::same_as<T, T>,
                "the number of arrays is not known at compile time. Specify it: auto [i, j] = where<2>(mask), "
                "nonzero<2>(x), split<3>(x), unstack<3>(x), or index the list: list[0]");
};
template <size_t N>
struct std::tuple_size<hilo::numpy::ArrayTuple<N>> : std::integral_constant<size_t, N> {};
template <size_t I, size_t N>
struct std::tuple_element<I, hilo::numpy::ArrayTuple<N>> {
  using type = hilo::Array;
};
