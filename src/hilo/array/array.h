// SPDX-License-Identifier: Apache-2.0
// array/array.h -- Array: a value, on a device or inside a trace.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hilo/array/arguments.h"
#include "hilo/array/error.h"
#include "hilo/array/indexer.h"
#include "hilo/types/literal.h"

namespace hilo {

struct ArrayImpl;
class Device;
class NamedSharding;
struct Shard;

namespace numpy {
class IndexedPlaces;
struct SumOptions;
struct MeanOptions;
struct MaxOptions;
struct VarOptions;
struct AllOptions;
struct ArgOptions;
}  // namespace numpy

/// A C++ number that may stand where an Array may.
template <typename T>
concept Number = std::is_arithmetic_v<T> || std::same_as<T, float16> || std::same_as<T, bfloat16> ||
                 std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// Several arrays, which one index alone isn't.
template <typename T>
concept ArrayList = std::convertible_to<const T&, std::vector<Array>> && !std::convertible_to<const T&, Indexer>;

template <typename T>
inline constexpr bool kArrayParts = false;
template <typename... Ts>
inline constexpr bool kArrayParts<std::tuple<Ts...>> = (std::convertible_to<const Ts&, Array> && ...);
template <typename A, typename B>
inline constexpr bool kArrayParts<std::pair<A, B>> = kArrayParts<std::tuple<A, B>>;
template <typename T, size_t N>
inline constexpr bool kArrayParts<std::array<T, N>> = std::convertible_to<const T&, Array>;
/// A std::tuple, pair or array of Arrays or numbers: what grad<0, 1>(f) and functions of several results give.
template <typename T>
concept ArrayParts = kArrayParts<T>;
/// As a list.
template <ArrayParts Parts>
std::vector<Array> list_of(const Parts& parts) {
  return std::apply([](const auto&... part) { return std::vector<Array>{Array(part)...}; }, parts);
}

/// What is known of an array before it has a value. Weakly typed values (C++ numbers) take the type of what they meet.
struct Aval {
  Aval() = default;
  Aval(Shape shape, bool weak_type = false) : shape(std::move(shape)), weak_type(weak_type) {}  // shapes convert
  /// Doesn't compile: what JAX calls by this name.
  template <std::same_as<ScalarType> T>
  Aval(T, const std::vector<int64_t>&) {
    static_assert(kNever<T>, "the shape and type of an argument are ShapeDtypeStruct({5, 12}, int32)");
  }
  template <std::same_as<ScalarType> T>
  Aval(const std::vector<int64_t>&, T) {
    static_assert(kNever<T>, "the shape and type of an argument are ShapeDtypeStruct({5, 12}, int32)");
  }
  Shape shape;
  bool weak_type = false;
  bool operator==(const Aval&) const = default;
};

/// An array's elements in row-major order, in host memory, to be read. While it lives, the array can't be donated.
struct HostView {
  const std::byte* data = nullptr;
  std::shared_ptr<const void> keeper = {};
};
template <NativeElement T>
class ArrayView : public std::span<const T> {
 public:
  ArrayView(HostView view, size_t size)
      : std::span<const T>(reinterpret_cast<const T*>(view.data), size), keeper_(std::move(view.keeper)) {}

 private:
  std::shared_ptr<const void> keeper_;
};

/// An axis of an array, and the line of the call.
class Index {
 public:
  Index(int64_t value, std::source_location location = std::source_location::current())  // numbers index
      : value_(value), location_(location) {}

  int64_t value() const { return value_; }
  const std::source_location& location() const { return location_; }

 private:
  int64_t value_;
  std::source_location location_;
};

/// An n-dimensional array. Copies share the value, which never changes: assignment makes a handle point elsewhere. One that
/// was moved from holds nothing until it is assigned; to use it is FAILED_PRECONDITION.
/// Inside jit, grad, vmap and their kin an Array may be a tracer, which has a shape and a type and perhaps no value yet.
class Array {
 public:
  /// The f32 scalar 0.
  Array();
  /// A weakly typed scalar: int is s32, double is f32 (f64 with x64), bool is pred. It stays on the host until a device
  /// asks for it.
  template <Number T>
  Array(T value) : Array(scalar(value)) {}  // numbers convert as in NumPy
  explicit Array(std::shared_ptr<const ArrayImpl> impl) : impl_(std::move(impl)) {}
  /// What io::read_png and its like read, copied to the default device.
  /// Errors    those of the reading
  Array(const StatusOr<Literal>& read,
        std::source_location location = std::source_location::current());  // it is an array or an error
  Array(const Array&) = default;
  Array(Array&&) = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & = default;
  /// An array never changes, so `x[0] = 5.0f` would change a copy and be lost.
  Array& operator=(const Array&) && = delete;  // instead of x[i] = y:  x = numpy::at(x, i).set(y);

  /// Copies a host value to the default device.
  static Array from_literal(const Literal& literal);
  /// An array of T from a flat list in row-major order.
  /// Errors    INVALID_ARGUMENT if the count differs
  template <NativeElement T>
  static Array from_vector(const std::vector<T>& values, std::vector<int64_t> dimensions,
                           std::source_location location = std::source_location::current()) {
    const UserLocation here(location);
    return from_values(std::span<const T>(values), dimensions);
  }
  /// An array in memory that stays the caller's: `release` is called, from any thread, when nobody needs it any more.
  /// Until then it must not change.
  /// Errors    INVALID_ARGUMENT for sizes below 0; `release` is called then too
  /// Cost      no copy if `data` is aligned to 64 bytes and the device reads host memory
  template <NativeElement T>
  static Array borrow(const T* data, std::vector<int64_t> dimensions, std::function<void()> release,
                      std::source_location location = std::source_location::current()) {
    const UserLocation here(location);
    return borrow_bytes(element_type_of<T>, reinterpret_cast<const std::byte*>(data), dimensions, std::move(release));
  }
  template <NativeElement T>
  static Array from_values(std::span<const T> values, std::span<const int64_t> dimensions) {
    return from_bytes(element_type_of<T>, std::as_bytes(values), dimensions);
  }

  const Shape& aval_shape() const;
  ElementType dtype() const { return aval_shape().element_type(); }
  /// The sizes; of a temporary a copy, for what they are part of goes with it.
  std::span<const int64_t> shape() const& { return aval_shape().dimensions(); }
  std::vector<int64_t> shape() const&& {
    const std::span<const int64_t> sizes = aval_shape().dimensions();
    return {sizes.begin(), sizes.end()};
  }
  int64_t shape(const Index& axis) const;  ///< of one axis; a negative one counts from the end
  /// All of them, for an array that must have N dimensions: auto [rows, columns] = x.shape<2>();
  /// Errors    INVALID_ARGUMENT if it has another number
  template <size_t N>
  std::array<int64_t, N> shape(std::source_location location = std::source_location::current()) const {
    if (ndim() != static_cast<int64_t>(N)) refuse_rank(N, location);
    std::array<int64_t, N> sizes;
    for (size_t d = 0; d < N; ++d) sizes[d] = shape()[d];
    return sizes;
  }
  int64_t ndim() const { return aval_shape().rank(); }
  int64_t size() const { return aval_shape().element_count(); }
  bool weak_type() const;
  Aval aval() const { return {aval_shape(), weak_type()}; }

  /// The value on the host, waiting for it if need be.
  /// Errors    ConcretizationError on a tracer without a value, INVALID_ARGUMENT if donated or deleted
  Literal to_literal() const;
  /// The elements where they lie: a view, no copy, where the device has host memory.
  /// Errors    INVALID_ARGUMENT if T isn't the array's type, or it is donated or deleted; ConcretizationError on a tracer
  template <NativeElement T>
  ArrayView<T> data(std::source_location location = std::source_location::current()) const {
    const UserLocation here(location);
    return {host_view(element_type_of<T>), static_cast<size_t>(size())};
  }
  /// Where the array is; a C++ number is where it would go. Of a sharded array the mesh's first device.
  /// Errors    ConcretizationError on a tracer without a value
  std::shared_ptr<Device> device() const;
  /// The devices that the array is on; of a sharded array all of this process that have a part, in the mesh's order.
  /// Errors    as device()
  std::vector<std::shared_ptr<Device>> devices() const;
  /// Frees the memory now, although other handles may point to the array. jax.Array.delete, which C++ has a keyword of.
  /// An array that is gone already stays so, and a C++ number has nothing to free.
  /// Errors    ConcretizationError on a tracer without a value; INVALID_ARGUMENT while a run or a view uses the memory
  void delete_() const;
  bool is_deleted() const;  ///< by delete_(), or because a run took its memory
  // The next two are compiled once, for all types of numbers: array/array_numbers.cc.
  /// The one element of an array of any type and size 1, converted to T.
  template <Number T = double>
  T item(std::source_location location = std::source_location::current()) const;
  /// All elements in row-major order, converted to T.
  /// Cost    one copy
  template <Number T>
  std::vector<T> to_vector(std::source_location location = std::source_location::current()) const;
  /// Doesn't compile: C++ has no lists of any depth.
  template <typename List = void>
  std::vector<double> tolist() const {
    static_assert(!std::is_void_v<List>,
                  "x.to_vector<float>() gives all elements in row-major order, x.item() one number");
    return {};
  }
  /// So that `if (x > 0)` works on values; a tracer of jit or vmap throws ConcretizationError naming both lines.
  /// Errors    INVALID_ARGUMENT for several elements: x.any(), x.all(), and & | ~ in place of && || !
  explicit operator bool() const { return truth(); }
  /// The same as other numbers: float(loss), int(step).
  template <Number T>
    requires(!std::same_as<T, bool>)
  explicit operator T() const {
    return item<T>();
  }

  /// Like NumPy's str(): "[[1. 2.]\n [3. 4.]]"; a tracer prints its type: "Traced<f32[3]>".
  std::string to_string() const;

  // ---- members of mesh/, defined in mesh/members.cc
  /// How devices share the array: mesh/named_sharding.h. One that lies on one device has a SingleDeviceSharding.
  /// Errors    ConcretizationError on a tracer without a value
  NamedSharding sharding() const;
  /// The parts on devices of this process, in the mesh's order: mesh/sharded_array.h. They share the array's memory.
  /// Errors    as sharding()
  std::vector<Shard> addressable_shards() const;
  bool is_fully_replicated() const;   ///< each of its devices has all of it
  bool is_fully_addressable() const;  ///< this process reaches all of its devices

  // ---- members of numpy/, defined in numpy/members.cc; most call the function of numpy:: by their name
  /// x[i]: the i-th slice along the leading axis; a negative i counts from the end. Also x[ids], x[mask], x[range(2, 10)],
  /// x[newaxis]. It is no place to write to: that is x.at(i).set(y), which returns a changed copy.
  /// Errors    OUT_OF_RANGE for a number, else as for operator()
  Array operator[](const Indexer& index) const;
  /// Doesn't compile: a list in braces may mean a range or places.
  template <std::integral T>
  Array operator[](std::initializer_list<T>) const {
    static_assert(kNever<T>, "x[2:10] is x[range(2, 10)]; the elements 2 and 10 are x[numpy::array({2, 10})]");
    return *this;
  }
  template <size_t N>
  Array operator[](const char (&)[N]) const =
      delete;  // arrays have no names; of a file:  numpy::load_npz(file)["name"]
  /// x(nonzero(mask)), x(ix_(i, j)): an array of places for each of the first axes.
  template <ArrayList List>
  Array operator[](const List& places) const {
    return at_places(std::vector<Array>(places));
  }
  template <ArrayList List>
  Array operator()(const List& places) const {
    return at_places(std::vector<Array>(places));
  }
  template <ArrayList List>
  numpy::IndexedPlaces at(const List& places, std::source_location location = std::source_location::current()) const;
  /// x(all, range(2, 5), i): NumPy's x[:, 2:5, i], as numpy/indexing.h says.
  Array operator()(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {},
                   const Indexer& i4 = {}, const Indexer& i5 = {}, const Indexer& i6 = {},
                   const Indexer& i7 = {}) const;
  numpy::IndexedPlaces at(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {},
                          const Indexer& i4 = {}, const Indexer& i5 = {}, const Indexer& i6 = {},
                          const Indexer& i7 = {}) const;
  Array T(std::source_location location = std::source_location::current()) const;
  Array reshape(const Dimensions& shape, std::source_location location = std::source_location::current()) const;
  template <std::integral... Extents>
    requires(sizeof...(Extents) > 1)
  Array reshape(Extents... extents) const {
    return reshape(Dimensions{static_cast<int64_t>(extents)...});
  }
  Array astype(ElementType type, std::source_location location = std::source_location::current()) const;
  template <NativeElement E>
  Array astype(std::source_location location = std::source_location::current()) const {
    return astype(element_type_of<E>, location);
  }
#define HILO_REDUCING_MEMBER(name, Options)                                                                         \
  Array name(std::source_location location = std::source_location::current()) const;                                \
  Array name(const numpy::Options& options, std::source_location location = std::source_location::current()) const; \
  template <int = 0>                                                                                                \
  Array name(const Axes& axis, std::source_location location = std::source_location::current()) const;              \
  Array name(const Axes& axis, const numpy::Options& options,                                                       \
             std::source_location location = std::source_location::current()) const;
#include "hilo/array/reducing_members.inc"
#define HILO_ARG_MEMBER(name)                                                                                          \
  Array name(std::optional<int64_t> axis = {}, std::source_location location = std::source_location::current()) const; \
  Array name(const numpy::ArgOptions& options, std::source_location location = std::source_location::current()) const;
  HILO_ARG_MEMBER(argmax)
  HILO_ARG_MEMBER(argmin)
#undef HILO_ARG_MEMBER
  Array sort(std::optional<int64_t> axis = -1, std::source_location location = std::source_location::current()) const;
  Array argsort(std::optional<int64_t> axis = -1,
                std::source_location location = std::source_location::current()) const;
  Array cumsum(std::optional<int64_t> axis = {}, std::source_location location = std::source_location::current()) const;
  Array cumprod(std::optional<int64_t> axis = {},
                std::source_location location = std::source_location::current()) const;
  Array ravel(std::source_location location = std::source_location::current()) const;
  Array flatten(std::source_location location = std::source_location::current()) const;
  Array squeeze(const Axes& axis = std::nullopt, std::source_location location = std::source_location::current()) const;
  Array transpose(const Axes& axes = std::nullopt,
                  std::source_location location = std::source_location::current()) const;
  template <std::integral... Permutation>
    requires(sizeof...(Permutation) > 1)
  Array transpose(Permutation... axes) const {
    return transpose(Axes{static_cast<int64_t>(axes)...});
  }
  Array swapaxes(int64_t axis1, int64_t axis2, std::source_location location = std::source_location::current()) const;
  Array mT(std::source_location location = std::source_location::current()) const;
  Array dot(const Operand& b) const;
  Array matmul(const Operand& b) const;
  Array clip(const Operand& min, const Operand& max) const;
  Array take(const Operand& indices, std::optional<int64_t> axis = {}) const;
  Array repeat(int64_t repeats, std::optional<int64_t> axis = {},
               std::source_location location = std::source_location::current()) const;
  Array round(int64_t decimals = 0, std::source_location location = std::source_location::current()) const;
  Array trace(std::source_location location = std::source_location::current()) const;
  Array diagonal(int64_t offset = 0, std::source_location location = std::source_location::current()) const;
  Array conj(std::source_location location = std::source_location::current()) const;
  Array real(std::source_location location = std::source_location::current()) const;
  Array imag(std::source_location location = std::source_location::current()) const;
  Array copy(std::source_location location = std::source_location::current()) const;
  std::vector<Array> nonzero(std::source_location location = std::source_location::current()) const;
  const Array& block_until_ready(std::source_location location = std::source_location::current()) const;
  int64_t itemsize() const;
  int64_t nbytes() const;

  const ArrayImpl& impl() const {
    if (impl_ == nullptr) [[unlikely]]
      refuse_moved();
    return *impl_;
  }
  const std::shared_ptr<const ArrayImpl>& handle() const { return impl_; }

 private:
  [[noreturn]] static void refuse_moved();
  static Array from_bytes(ElementType type, std::span<const std::byte> bytes, std::span<const int64_t> dimensions);
  static Array borrow_bytes(ElementType type, const std::byte* data, std::span<const int64_t> dimensions,
                            std::function<void()> release);
  HostView host_view(ElementType wanted) const;
  static std::shared_ptr<const ArrayImpl> number(bool value);
  static std::shared_ptr<const ArrayImpl> number(int64_t value);
  static std::shared_ptr<const ArrayImpl> number(double value);
  static std::shared_ptr<const ArrayImpl> number(float16 value);
  static std::shared_ptr<const ArrayImpl> number(bfloat16 value);
  static std::shared_ptr<const ArrayImpl> number(std::complex<float> value);
  static std::shared_ptr<const ArrayImpl> number(std::complex<double> value);
  template <Number T>
  static std::shared_ptr<const ArrayImpl> scalar(T value) {
    if constexpr (std::same_as<T, bool>) return number(value);
    else if constexpr (std::is_integral_v<T>) return number(static_cast<int64_t>(value));
    else if constexpr (std::is_floating_point_v<T>) return number(static_cast<double>(value));
    else return number(value);
  }
  /// Elements in a type that C++ has numbers of.
  struct HostNumbers {
    HostView view;
    ElementType type;
  };
  bool truth() const;
  Array at_places(const std::vector<Array>& places) const;
  HostNumbers host_numbers() const;
  HostNumbers one_number(const std::source_location& location) const;
  [[noreturn]] void refuse_numbers() const;
  [[noreturn]] void refuse_rank(size_t wanted, const std::source_location& location) const;

  std::shared_ptr<const ArrayImpl> impl_;
};

template <std::same_as<bool> T>
Indexer::Indexer(T mask, std::source_location location) : Indexer(Array(mask), location) {}

/// Containers that an Operand refuses in a sentence: those of arrays and of floats. Of integers they may be shapes or axes.
template <typename T>
inline constexpr bool kNoOperand = ArrayParts<T>;
template <typename T, typename A>
inline constexpr bool kNoOperand<std::vector<T, A>> = std::derived_from<T, Array> || std::floating_point<T>;

class Operand;
/// Whether T is an Operand's kind of value, and not a container that an Operand refuses.
template <typename T>
concept OperandLike = std::convertible_to<T, Operand> && !kNoOperand<std::remove_cvref_t<T>>;

/// An argument of a public function: an Array or a number, and the line of the call.
class Operand {
 public:
  /// Doesn't compile: a container is no array.
  template <typename T>
    requires(kNoOperand<T>)
  Operand(const T&) {  // it converts, to be refused
    static_assert(kNever<T>,
                  "an Array or a number is wanted here, and this holds several: numpy::stack makes one of a tuple or "
                  "list of Arrays, numpy::array of numbers");
  }
  Operand(const Array& array, std::source_location location = std::source_location::current())
      : array_(array), location_(location) {}
  template <Number T>
    requires(!std::same_as<T, float16> && !std::same_as<T, bfloat16>)  // their arithmetic stays float's
  Operand(T value, std::source_location location = std::source_location::current())
      : array_(value), location_(location) {}

  const Array& array() const { return array_; }
  operator const Array&() const { return array_; }
  const std::source_location& location() const { return location_; }

 private:
  Array array_;
  std::source_location location_;
};

/// The array's elements as they are.
/// Errors    as Array::data
HostView host_view_of(const Array& array);

std::ostream& operator<<(std::ostream& out, const Array& array);  ///< as NumPy prints them

/// s64 -> s32, u64 -> u32, f64 -> f32, c128 -> c64 unless x64 is enabled.
ElementType canonical_type(ElementType type);
/// The same of a type that the user asked `function` for. One that becomes another is warned about, once a place.
ElementType requested_type(std::string_view function, ElementType type);
/// The types of what is created where none is asked for: f32, f64 with x64; s32, s64 with x64.
inline ElementType default_float() { return canonical_type(ElementType::kF64); }
inline ElementType default_integer() { return canonical_type(ElementType::kS64); }

}  // namespace hilo

/// Doesn't compile: `auto [x, y] = array` needs a number of parts that is known at compile time.
template <std::same_as<hilo::Array> T>
struct std::tuple_size<T> {
  static constexpr size_t value = 2;
  static_assert(hilo::kNever<T>,
                "the compiler doesn't know how many parts an Array has: auto [x, y] = numpy::unstack<2>(array)");
};
// So that no more is reported.
template <size_t I, std::same_as<hilo::Array> T>
struct std::tuple_element<I, T> {
  using type = int;
};
namespace hilo {
template <size_t>
int get(const Array&);
}  // namespace hilo
