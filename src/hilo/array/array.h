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

/// A C++ number that can be used in place of an Array.
template <typename T>
concept Number = std::is_arithmetic_v<T> || std::same_as<T, float16> || std::same_as<T, bfloat16> ||
                 std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// A list of arrays; distinguishes them from a single index.
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
/// A std::tuple, pair or array of Arrays or numbers, such as results of grad<0, 1>(f) and of functions with several
/// results.
template <typename T>
concept ArrayParts = kArrayParts<T>;
/// Converts them to a list.
template <ArrayParts Parts>
std::vector<Array> list_of(const Parts& parts) {
  return std::apply([](const auto&... part) { return std::vector<Array>{Array(part)...}; }, parts);
}

/// The shape and type of an array that may not have a value yet. A weakly typed value (a C++ number) adopts the other
/// operand's type.
struct Aval {
  Aval() = default;
  Aval(Shape shape, bool weak_type = false) : shape(std::move(shape)), weak_type(weak_type) {}  // implicit
  /// Doesn't compile: JAX's arguments of this name.
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

/// A read-only view of an array's elements in host memory, in row-major order. As long as it exists, the array can't be
/// donated.
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
  Index(int64_t value, std::source_location location = std::source_location::current())  // implicit
      : value_(value), location_(location) {}

  int64_t value() const { return value_; }
  const std::source_location& location() const { return location_; }

 private:
  int64_t value_;
  std::source_location location_;
};

/// An n-dimensional array, whose value never changes. Copies share the value; assignment makes a handle refer to
/// another array. Use of a moved-from handle fails with FAILED_PRECONDITION until it is assigned. Inside jit, grad,
/// vmap and other transformations an Array may be a tracer, which has a shape and a type but possibly no value.
class Array {
 public:
  /// Creates the f32 scalar 0.
  Array();
  /// Creates a weakly typed scalar: int is s32, double is f32 (f64 with x64), bool is pred. It stays on the host until
  /// a device needs it.
  template <Number T>
  Array(T value) : Array(scalar(value)) {}  // implicit, as in NumPy
  explicit Array(std::shared_ptr<const ArrayImpl> impl) : impl_(std::move(impl)) {}
  /// Copies the result of io::read_png and similar functions to the default device.
  /// Errors     those of the reading function
  Array(const StatusOr<Literal>& read,
        std::source_location location = std::source_location::current());  // implicit, so that errors throw
  Array(const Array&) = default;
  Array(Array&&) = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & = default;
  /// Assignment to a temporary is deleted, because `x[0] = 5.0f` would only change a copy.
  Array& operator=(const Array&) && = delete;  // write x = numpy::at(x, i).set(y) for x[i] = y

  /// Copies a host value to the default device.
  static Array from_literal(const Literal& literal);
  /// Creates an array of T from a flat list in row-major order.
  /// Errors     INVALID_ARGUMENT if the count differs
  /// Example    Array::from_vector<float>({1, 2, 3, 4}, {2, 2})  // [[1. 2.] [3. 4.]]
  template <NativeElement T>
  static Array from_vector(const std::vector<T>& values, std::vector<int64_t> dimensions,
                           std::source_location location = std::source_location::current()) {
    const UserLocation here(location);
    return from_values(std::span<const T>(values), dimensions);
  }
  /// Creates an array in the caller's memory. `release` is called, from any thread, when the memory is no longer used;
  /// until then it must not change.
  /// Errors     INVALID_ARGUMENT for negative sizes; `release` is called then too
  /// Cost       no copy if `data` is aligned to 64 bytes and the device reads host memory
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
  /// Returns the dimensions; on a temporary by value, because their storage is destroyed with it.
  /// Example    numpy::ones({2, 3}).shape()  // (2, 3)
  std::span<const int64_t> shape() const& { return aval_shape().dimensions(); }
  std::vector<int64_t> shape() const&& {
    const std::span<const int64_t> sizes = aval_shape().dimensions();
    return {sizes.begin(), sizes.end()};
  }
  int64_t shape(const Index& axis) const;  ///< size of one axis; a negative axis counts from the end
  /// Returns the dimensions of an array that must have rank N: auto [rows, columns] = x.shape<2>();
  /// Errors     INVALID_ARGUMENT for another rank
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

  /// Copies the value to the host; waits for its computation.
  /// Errors     ConcretizationError on a tracer without a value; INVALID_ARGUMENT if donated or deleted
  Literal to_literal() const;
  /// Returns a view of the elements, without a copy if the device has host memory.
  /// Errors     INVALID_ARGUMENT if T isn't the array's type, or if it is donated or deleted; ConcretizationError on a
  ///            tracer
  /// Example    numpy::array({1.5f, 2.5f}).data<float>()[1]  // 2.5
  template <NativeElement T>
  ArrayView<T> data(std::source_location location = std::source_location::current()) const {
    const UserLocation here(location);
    return {host_view(element_type_of<T>), static_cast<size_t>(size())};
  }
  /// Returns the array's device. For a C++ number, the default device; for a sharded array, the mesh's first device.
  /// Errors     ConcretizationError on a tracer without a value
  std::shared_ptr<Device> device() const;
  /// Returns the devices of the array; for a sharded array, those of this process, in the mesh's order.
  /// Errors     as device()
  std::vector<std::shared_ptr<Device>> devices() const;
  /// Frees the memory at once, even if other handles refer to the array: jax.Array.delete (`delete` is a C++ keyword).
  /// Has no effect on deleted arrays and C++ numbers.
  /// Errors     ConcretizationError on a tracer without a value; INVALID_ARGUMENT while a run or a view uses the memory
  void delete_() const;
  bool is_deleted() const;  ///< by delete_(), or because it was donated
  // The next two are compiled once for all types of numbers, in array/array_numbers.cc.
  /// Returns the only element of an array of size 1, converted to T.
  /// Errors     INVALID_ARGUMENT for another size; ConcretizationError on a tracer without a value
  /// Example    numpy::sum(numpy::arange(4)).item<int>()  // 6
  template <Number T = double>
  T item(std::source_location location = std::source_location::current()) const;
  /// Returns all elements in row-major order, converted to T.
  /// Cost       one copy
  /// Example    numpy::arange(4).to_vector<double>()[3]  // 3
  template <Number T>
  std::vector<T> to_vector(std::source_location location = std::source_location::current()) const;
  /// Doesn't compile: C++ has no lists of arbitrary depth.
  template <typename List = void>
  std::vector<double> tolist() const {
    static_assert(!std::is_void_v<List>,
                  "x.to_vector<float>() gives all elements in row-major order, x.item() one number");
    return {};
  }
  /// Converts to a truth value, for `if (x > 0)`. A tracer of jit or vmap throws ConcretizationError naming both lines.
  /// Errors     INVALID_ARGUMENT for several elements: use x.any() or x.all(), and & | ~ instead of && || !
  explicit operator bool() const { return truth(); }
  /// Converts an array of size 1 to a number: float(loss), int(step).
  template <Number T>
    requires(!std::same_as<T, bool>)
  explicit operator T() const {
    return item<T>();
  }

  /// Returns the text of NumPy's str(): "[[1. 2.]\n [3. 4.]]"; for a tracer its type: "Traced<f32[3]>".
  std::string to_string() const;

  // ---- members of mesh/, defined in mesh/members.cc
  /// Returns how the array is distributed over devices (mesh/named_sharding.h). An array on one device has a
  /// SingleDeviceSharding.
  /// Errors     ConcretizationError on a tracer without a value
  NamedSharding sharding() const;
  /// Returns the shards on devices of this process, in the mesh's order (mesh/sharded_array.h). They share the array's
  /// memory.
  /// Errors     as sharding()
  std::vector<Shard> addressable_shards() const;
  bool is_fully_replicated() const;   ///< each of its devices has all elements
  bool is_fully_addressable() const;  ///< this process can access all of its devices

  // ---- members of numpy/, defined in numpy/members.cc; most call the function of this name in numpy::
  /// Returns the i-th slice along the leading axis; a negative i counts from the end. Also x[ids], x[mask], x[range(2,
  /// 10)], x[newaxis]. To write, use x.at(i).set(y), which returns a changed copy.
  /// Errors     OUT_OF_RANGE for a number out of bounds, else as for operator()
  /// Example    numpy::arange(6).reshape({3, 2})[-1]  // [4 5]
  Array operator[](const Indexer& index) const;
  /// Doesn't compile: a list in braces could mean a range or indices.
  template <std::integral T>
  Array operator[](std::initializer_list<T>) const {
    static_assert(kNever<T>, "x[2:10] is x[range(2, 10)]; the elements 2 and 10 are x[numpy::array({2, 10})]");
    return *this;
  }
  template <size_t N>
  Array operator[](const char (&)[N]) const =
      delete;  // arrays have no names; for a file use numpy::load_npz(file)["name"]
  /// Indexes each of the first axes by an array of indices: x(nonzero(mask)), x(ix_(i, j)).
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
  /// Indexes several axes: x(all, range(2, 5), i) is NumPy's x[:, 2:5, i]. See numpy/indexing.h.
  /// Example    numpy::arange(12).reshape({3, 4})(all, range(1, 3))  // [[ 1 2] [ 5 6] [ 9 10]]
  Array operator()(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {},
                   const Indexer& i4 = {}, const Indexer& i5 = {}, const Indexer& i6 = {},
                   const Indexer& i7 = {}) const;
  /// Selects elements for an update, which returns a changed copy: x.at(i).set(y), .add(y), .multiply(y), .min(y),
  /// .max(y), .get(). jax.Array.at.
  /// Example    numpy::zeros({4}).at(1).set(5.0f)  // [0. 5. 0. 0.]
  ///            numpy::arange(4).at(range(1, 3)).add(10)  // [ 0 11 12 3]
  numpy::IndexedPlaces at(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {},
                          const Indexer& i4 = {}, const Indexer& i5 = {}, const Indexer& i6 = {},
                          const Indexer& i7 = {}) const;
  /// Returns the array with its axes in reverse order.
  /// Example    numpy::ones({2, 3}).T().shape()  // (3, 2)
  Array T(std::source_location location = std::source_location::current()) const;
  /// Returns the elements in a new shape, in row-major order; -1 stands for the remaining size.
  /// Example    numpy::arange(6).reshape({2, -1})  // [[0 1 2] [3 4 5]]
  Array reshape(const Dimensions& shape, std::source_location location = std::source_location::current()) const;
  template <std::integral... Extents>
    requires(sizeof...(Extents) > 1)
  Array reshape(Extents... extents) const {
    return reshape(Dimensions{static_cast<int64_t>(extents)...});
  }
  /// Converts the elements to another type.
  /// Example    numpy::array({1.7f, -1.7f}).astype(int32)  // [ 1 -1]
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
  HostView host_view(ElementType expected) const;
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
  /// Elements in a type that has C++ numbers.
  struct HostNumbers {
    HostView view;
    ElementType type;
  };
  bool truth() const;
  Array at_places(const std::vector<Array>& places) const;
  HostNumbers host_numbers() const;
  HostNumbers one_number(const std::source_location& location) const;
  [[noreturn]] void refuse_numbers() const;
  [[noreturn]] void refuse_rank(size_t expected, const std::source_location& location) const;

  std::shared_ptr<const ArrayImpl> impl_;
};

template <std::same_as<bool> T>
Indexer::Indexer(T mask, std::source_location location) : Indexer(Array(mask), location) {}

/// Containers that Operand rejects with a readable message: those of arrays and of floats. Containers of integers may
/// be shapes or axes.
template <typename T>
inline constexpr bool kNoOperand = ArrayParts<T>;
template <typename T, typename A>
inline constexpr bool kNoOperand<std::vector<T, A>> = std::derived_from<T, Array> || std::floating_point<T>;

class Operand;
/// Whether T converts to an Operand, and isn't a container that Operand rejects.
template <typename T>
concept OperandLike = std::convertible_to<T, Operand> && !kNoOperand<std::remove_cvref_t<T>>;

/// An argument of a public function: an Array or a number, and the line of the call.
class Operand {
 public:
  /// Doesn't compile: a container isn't an array.
  template <typename T>
    requires(kNoOperand<T>)
  Operand(const T&) {  // converts, so that the static_assert below reports the error
    static_assert(kNever<T>,
                  "expected an Array or a number, got a container: numpy::stack makes an Array of a tuple or "
                  "list of Arrays, numpy::array of numbers");
  }
  Operand(const Array& array, std::source_location location = std::source_location::current())
      : array_(array), location_(location) {}
  template <Number T>
  // for these types, arithmetic remains that of float
    requires(!std::same_as<T, float16> && !std::same_as<T, bfloat16>)
  Operand(T value, std::source_location location = std::source_location::current())
      : array_(value), location_(location) {}

  const Array& array() const { return array_; }
  operator const Array&() const { return array_; }
  const std::source_location& location() const { return location_; }

 private:
  Array array_;
  std::source_location location_;
};

/// Returns a view of the array's elements in its own type.
/// Errors     as Array::data
HostView host_view_of(const Array& array);

std::ostream& operator<<(std::ostream& out, const Array& array);  ///< prints like NumPy

/// Returns s64 -> s32, u64 -> u32, f64 -> f32, c128 -> c64, unless x64 is enabled.
ElementType canonical_type(ElementType type);
/// Returns the canonical type of a type that the user passed to `function`. Warns once per line if it differs.
ElementType requested_type(std::string_view function, ElementType type);
/// Default types of new arrays: f32 and s32, with x64 f64 and s64.
inline ElementType default_float() { return canonical_type(ElementType::kF64); }
inline ElementType default_integer() { return canonical_type(ElementType::kS64); }

}  // namespace hilo

/// Doesn't compile: `auto [x, y] = array` requires a number of parts that is known at compile time.
template <std::same_as<hilo::Array> T>
struct std::tuple_size<T> {
  static constexpr size_t value = 2;
  static_assert(hilo::kNever<T>,
                "the compiler doesn't know how many parts an Array has: auto [x, y] = numpy::unstack<2>(array)");
};
// Suppresses follow-up diagnostics.
template <size_t I, std::same_as<hilo::Array> T>
struct std::tuple_element<I, T> {
  using type = int;
};
namespace hilo {
template <size_t>
int get(const Array&);
}  // namespace hilo
