// SPDX-License-Identifier: Apache-2.0
// numpy/dtypes.h -- element types: as values by JAX's names, their limits, and how they meet.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "hilo/array/array.h"

namespace hilo::numpy {

namespace detail {
[[noreturn]] void refuse_count(const char* function, size_t got, size_t wanted);
}  // namespace detail

using Shape = Dimensions;
using ndarray = Array;  ///< NumPy's name
using hilo::Axes;
using OptionalShape = OptionalDimensions;
/// The type of a new array; by default floats are f32, integers s32, with jax_enable_x64 f64 and s64. Without it s64, u64,
/// f64 and c128 become their halves, and who asks for them is warned once.
using Dtype = std::optional<ElementType>;
/// Several arrays: a list, or one array, whose slices along its first axis they are.
class Arrays {
 public:
  Arrays(std::initializer_list<Array> arrays) : arrays_(arrays) {}  // both convert
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
/// So many arrays: auto [x, y] = meshgrid(a, b). Also a list.
template <size_t N>
class ArrayTuple : public std::array<Array, N> {
 public:
  ArrayTuple(const std::vector<Array>& arrays) {  // a list of this length converts
    for (size_t i = 0; i < N; ++i) (*this)[i] = arrays[i];
  }
  operator std::vector<Array>() const { return {this->begin(), this->end()}; }  // both ways
};
/// A list of arrays which, if it is of one, is that array.
class OneOrMore : public std::vector<Array> {
 public:
  OneOrMore(std::vector<Array> arrays) : vector(std::move(arrays)) {}  // lists convert
  /// Errors    INVALID_ARGUMENT for several
  operator Array() const {  // NumPy gives one array without a list
    if (size() != 1) detail::refuse_count("a single array", size(), 1);
    return front();
  }
  /// The i-th of several; of one array what x[i] is.
  /// Errors    OUT_OF_RANGE for an index that is too great
  Array operator[](const Indexer& i) const;
};
/// The N arrays of a list. Errors    INVALID_ARGUMENT for another number
template <size_t N>
ArrayTuple<N> exactly(const char* function, const std::vector<Array>& arrays) {
  if (arrays.size() != N) detail::refuse_count(function, arrays.size(), N);
  return arrays;
}
/// The line of a call that takes no Operand; nobody gives it.
using Line = std::source_location;

using hilo::Named;

/// What functions that only take a type take by name: zeros({3}, {.dtype = int32}) is zeros({3}, int32).
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
// NumPy's other names of them.
inline constexpr ScalarType double_ = float64, single = float32, cdouble = complex128, csingle = complex64;
/// A type that is 64 bits wide, 32 without jax_enable_x64.
struct DefaultType {
  ElementType wide;
  operator ElementType() const { return canonical_type(wide); }  // it is one
  Array operator()(const Operand& x) const { return ScalarType{canonical_type(wide)}(x); }
};
inline constexpr DefaultType int_{ElementType::kS64}, uint{ElementType::kU64}, float_{ElementType::kF64},
    complex_{ElementType::kC128};
using hilo::newaxis;
inline constexpr double pi = 3.141592653589793, e = 2.718281828459045, euler_gamma = 0.5772156649015329;
inline constexpr double inf = __builtin_inf(), nan = __builtin_nan("");

/// The limits of a float type (of the parts of a complex one), as numbers.
/// Errors    INVALID_ARGUMENT for a type without
struct FloatInfo {
  ElementType dtype;
  int bits, nmant, nexp, minexp, maxexp, precision;
  double eps, epsneg, max, min, tiny, smallest_normal, smallest_subnormal, resolution;
};
FloatInfo finfo(ElementType dtype, Line line = Line::current());
FloatInfo finfo(const Operand& x);
/// The limits of an integer type.
struct IntegerInfo {
  ElementType dtype;
  int bits;
  int64_t min;
  uint64_t max;
};
IntegerInfo iinfo(ElementType dtype, Line line = Line::current());
IntegerInfo iinfo(const Operand& x);

/// The type in which values of both meet, by JAX's lattice.
ElementType promote_types(ElementType a, ElementType b);
/// The type of an operation on all of these: Arrays, numbers (weakly typed) and types.
class TypeArgument {
 public:
  TypeArgument(ElementType type) : aval_{hilo::Shape::scalar(type), false} {}  // arguments convert
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
ElementType result_type_of(std::span<const TypeArgument> arguments);  ///< what they have together, as JAX promotes
template <typename... Arguments>
  requires(sizeof...(Arguments) > 0 && (std::convertible_to<Arguments, TypeArgument> && ...))
ElementType result_type(const Arguments&... arguments) {  ///< result_type_of(list)
  const TypeArgument list[] = {TypeArgument(arguments)...};
  return numpy::result_type_of(list);
}

/// May `from` be cast to `to`? "no", "equiv", "safe" (keeps all values), "same_kind", "unsafe".
bool can_cast(ElementType from, ElementType to, std::string_view casting = "safe");
/// A kind of types: the abstract classes of NumPy's tree.
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
bool issubdtype(ElementType arg1, TypeKind arg2);
bool issubdtype(ElementType arg1, ElementType arg2);
/// Is it of a kind: "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
/// "numeric"; or is it that type?
bool isdtype(ElementType dtype, std::string_view kind, Line line = Line::current());
bool isdtype(ElementType dtype, ElementType kind);

Array astype(const Operand& x, ElementType dtype);  ///< floats to integers truncate and saturate, NaN is 0
/// The same bytes as another type: the last axis grows or shrinks where the widths differ.
/// Errors    INVALID_ARGUMENT where the last axis can't be divided
Array view(const Operand& x, ElementType dtype);

/// The same elements with the order of their bytes turned.
Array byteswap(const Operand& x);
/// Bytes of an element, and of all.
inline int64_t itemsize(const Operand& x) { return element_size_bytes(x.array().dtype()); }
inline int64_t nbytes(const Operand& x) { return itemsize(x) * x.array().size(); }
/// How many axes, how many elements (along some axes), the extents, whether there are no axes.
inline int64_t ndim(const Operand& x) { return x.array().ndim(); }
inline int64_t size(const Operand& x) { return x.array().size(); }
int64_t size(const Operand& x, const Axes& axis);
inline std::vector<int64_t> shape(const Operand& x) { return {x.array().shape().begin(), x.array().shape().end()}; }
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
/// Whether it has an axis to go along.
inline bool iterable(const Operand& x) { return x.array().ndim() > 0; }
inline bool iscomplexobj(const Operand& x) { return is_complex(x.array().dtype()); }
inline bool iscomplexobj(std::nullopt_t) { return false; }
inline bool isrealobj(const Operand& x) { return !is_complex(x.array().dtype()); }

}  // namespace hilo::numpy

/// Doesn't compile: auto [i, j] = where(x), whose number of arrays isn't known when the program is compiled.
template <std::same_as<hilo::Array> T>
struct std::tuple_size<std::vector<T>> {
  static_assert(!std::same_as<T, T>,
                "how many arrays there are isn't known here: say it, auto [i, j] = where<2>(mask), "
                "nonzero<2>(x), split<3>(x), unstack<3>(x), or index the list: list[0]");
};
template <size_t N>
struct std::tuple_size<hilo::numpy::ArrayTuple<N>> : std::integral_constant<size_t, N> {};
template <size_t I, size_t N>
struct std::tuple_element<I, hilo::numpy::ArrayTuple<N>> {
  using type = hilo::Array;
};
