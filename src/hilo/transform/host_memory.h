// SPDX-License-Identifier: Apache-2.0
// transform/host_memory.h -- memory of the caller as arguments and results of Jitted::into.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "hilo/transform/call_leaves.h"

namespace hilo {

/// A std::span with a shape: elements in the caller's memory, in row-major order, as argument or result of
/// Jitted::into.
/// Errors     INVALID_ARGUMENT for a negative size or more than 8 dimensions
/// Example    std::array<float, 6> x = {1, 2, 3, 4, 5, 6}, y = {};
///            jit([](Array a) { return a * 2.0f; }).into(ShapedSpan(y.data(), {2, 3}), ShapedSpan(x.data(), {2, 3}));
///            y[5]  // 12
template <typename T>
class ShapedSpan {
 public:
  static constexpr size_t kMaxRank = 8;

  ShapedSpan(T* data, std::span<const int64_t> shape) : data_(data), rank_(shape.size()) {
    if (shape.size() > kMaxRank) hilo::or_throw(invalid_argument("ShapedSpan: got more than 8 dimensions"));
    for (size_t d = 0; d < rank_; ++d) {
      if (shape[d] < 0) hilo::or_throw(invalid_argument("ShapedSpan: got a negative size"));
      sizes_[d] = shape[d];
    }
  }
  ShapedSpan(T* data, std::initializer_list<int64_t> shape)
      : ShapedSpan(data, std::span<const int64_t>(shape.begin(), shape.size())) {}

  T* data() const { return data_; }
  std::span<const int64_t> shape() const { return {sizes_.data(), rank_}; }
  /// Returns the number of elements.
  int64_t size() const {
    int64_t count = 1;
    for (const int64_t size : shape()) count *= size;
    return count;
  }

 private:
  T* data_;
  size_t rank_;
  std::array<int64_t, kMaxRank> sizes_ = {};
};

}  // namespace hilo

namespace hilo::host_memory_detail {

template <typename T> struct ElementOf {
  using Type = void;
};
template <typename T, size_t N> struct ElementOf<std::span<T, N>> {
  using Type = T;
};
template <typename T> struct ElementOf<ShapedSpan<T>> {
  using Type = T;
};
/// The element of a std::span or ShapedSpan, perhaps const; void for other types.
template <typename T>
using Element = typename ElementOf<std::remove_cvref_t<T>>::Type;
template <typename T>
inline constexpr bool is_memory = !std::is_void_v<Element<T>>;

/// Whether T is memory, or a container or struct of some: a template with memory among its types, as
/// State<std::span<double>>.
template <typename T> struct Holds : std::bool_constant<is_memory<T>> {};
template <template <typename...> typename Template, typename... Ts>
  requires(!is_memory<Template<Ts...>>)
struct Holds<Template<Ts...>> : std::disjunction<Holds<std::remove_cvref_t<Ts>>...> {};
template <typename T, size_t N> struct Holds<std::array<T, N>> : Holds<T> {};

/// The type with Arrays in place of memory: State<Array> of State<std::span<double>>.
template <typename T> struct WithArrays {
  using Type = std::conditional_t<is_memory<T>, Array, T>;
};
template <typename T>
using Arrays = typename WithArrays<std::remove_cvref_t<T>>::Type;
template <typename T, typename A> struct WithArrays<std::vector<T, A>> {
  using Type = std::vector<Arrays<T>>;
};
template <typename T, size_t N> struct WithArrays<std::array<T, N>> {
  using Type = std::array<Arrays<T>, N>;
};
template <template <typename...> typename Template, typename... Ts>
  requires Holds<Template<Ts...>>::value && (!is_memory<Template<Ts...>>)
struct WithArrays<Template<Ts...>> {
  using Type = Template<Arrays<Ts>...>;
};

/// Copies elements to an array.
Array array_of(ElementType type, const std::byte* data, std::span<const int64_t> sizes);

template <typename T>
decltype(auto) with_arrays(const T& value);

template <typename... From, typename... To>
void copy_fields(const tree_detail::References<From...>& from, const tree_detail::References<To...>& to) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    ((*static_cast<To*>(to.addresses[I]) = host_memory_detail::with_arrays(*static_cast<From*>(from.addresses[I]))),
     ...);
  }(std::index_sequence_for<From...>());
}

/// Returns the value with its memory copied to Arrays.
template <typename T>
decltype(auto) with_arrays(const T& value) {
  if constexpr (is_memory<T>) {
    using E = std::remove_const_t<Element<T>>;
    const auto* const data = reinterpret_cast<const std::byte*>(value.data());
    if constexpr (requires { value.shape(); })
      return host_memory_detail::array_of(element_type_of<E>, data, value.shape());
    else return host_memory_detail::array_of(element_type_of<E>, data, std::array{static_cast<int64_t>(value.size())});
  } else if constexpr (!Holds<T>::value) {
    return (value);
  } else if constexpr (tree_detail::IsVector<T>::value) {
    Arrays<T> out;
    for (const auto& element : value) out.push_back(host_memory_detail::with_arrays(element));
    return out;
  } else if constexpr (tree_detail::IsTuple<T>::value) {
    return std::apply([](const auto&... element) { return Arrays<T>{host_memory_detail::with_arrays(element)...}; },
                      value);
  } else {
    Arrays<T> out;
    host_memory_detail::copy_fields(const_cast<T&>(value).hilo_tree_fields(), out.hilo_tree_fields());
    if constexpr (tree_detail::HasStaticFields<T>)
      host_memory_detail::copy_fields(const_cast<T&>(value).hilo_static_fields(), out.hilo_static_fields());
    return out;
  }
}

/// Lists memory. A std::span is a vector; if `any_shape`, it takes each shape.
template <typename T>
void list_memory(const T& value, bool any_shape, jit_detail::CallLeaves& leaves) {
  using E = std::remove_const_t<Element<T>>;
  static_assert(NativeElement<E>, "no array has elements of this type");
  const auto* const data = reinterpret_cast<const std::byte*>(value.data());
  const auto count = static_cast<int64_t>(value.size());
  if constexpr (requires { value.shape(); }) leaves.add_memory(element_type_of<E>, data, count, value.shape());
  else leaves.add_vector(element_type_of<E>, data, count, any_shape);
}

/// Calls `list` for each child of a container or struct.
template <typename T, typename List>
void list_children(T& value, jit_detail::CallLeaves& leaves, const List& list) {
  using Plain = std::remove_cv_t<T>;
  if constexpr (tree_detail::IsVector<Plain>::value) {
    leaves.add_node('[', value.size());
    for (auto& element : value) list(element);
  } else if constexpr (tree_detail::IsTuple<Plain>::value) {
    leaves.add_node('(', std::tuple_size_v<Plain>);
    std::apply([&](auto&... element) { (list(element), ...); }, value);
  } else if constexpr (!tree_detail::HasFields<Plain>) {
    static_assert(kNever<T>, "a struct of spans needs its fields named: HILO_TREE(fields...)");
  } else {
    auto& own = const_cast<Plain&>(value);
    const auto fields = own.hilo_tree_fields();
    leaves.add_node('(', std::size(fields.addresses) - 1);
    fields.for_each([&](auto& field, size_t) { list(field); });
    if constexpr (tree_detail::HasStaticFields<Plain>)
      leaves.add_tree(
          [&](TreeVisitor& visitor) { tree_detail::walk_static_fields(own.hilo_static_fields(), visitor); });
  }
}

/// Lists the leaves of an argument that holds memory.
template <typename T>
void list_argument(const T& value, jit_detail::CallLeaves& leaves) {
  if constexpr (is_memory<T>) host_memory_detail::list_memory(value, /*any_shape=*/false, leaves);
  else if constexpr (!Holds<T>::value) leaves.add_tree(hilo::walk_of(value));
  else list_children(value, leaves, [&](const auto& child) { host_memory_detail::list_argument(child, leaves); });
}
template <typename T>
void add_argument_memory(const void* value, jit_detail::CallLeaves& leaves) {
  host_memory_detail::list_argument(*static_cast<const T*>(value), leaves);
}

/// Whether the arguments of a call, which passes them as the tuple Passed, can be listed without conversions.
template <typename Passed, typename... Args>
inline constexpr bool are_listed = false;
template <typename... Passed, typename... Args>
inline constexpr bool are_listed<std::tuple<Passed...>, Args...> =
    ((Holds<Args>::value || jit_detail::is_listed<Passed, Args>) && ...);

/// Describes an argument of Jitted's calls, which a call passes as `Passed`.
template <typename Passed, typename T>
jit_detail::CallArgument listed(const T& value) {
  if constexpr (Holds<T>::value) return {&value, host_memory_detail::add_argument_memory<T>};
  else return jit_detail::listed<Passed>(value);
}

/// Lists the memory for results.
template <typename T>
void list_results(T& value, jit_detail::CallLeaves& leaves) {
  using Plain = std::remove_cv_t<T>;
  constexpr bool is_number = NativeElement<Plain>;
  constexpr bool is_node =
      tree_detail::IsVector<Plain>::value || tree_detail::IsTuple<Plain>::value || tree_detail::HasFields<Plain>;
  static_assert(
      is_memory<Plain> || is_number || is_node,
      "results are written to a std::span, a ShapedSpan, a number, or a std::tuple, pair, vector or HILO_TREE "
      "of those; other types aren't contiguous memory");
  if constexpr (is_memory<Plain>) {
    static_assert(!std::is_const_v<Element<Plain>>, "results can't be written to a span of const elements");
    host_memory_detail::list_memory(value, /*any_shape=*/true, leaves);
  } else if constexpr (is_number) {
    static_assert(!std::is_const_v<T>, "a result can't be written to a const number; std::tie refers to variables");
    leaves.add_memory(element_type_of<Plain>, reinterpret_cast<const std::byte*>(&value), 1, {});
  } else if constexpr (is_node) {
    list_children(value, leaves, [&](auto& child) { host_memory_detail::list_results(child, leaves); });
  }
}

}  // namespace hilo::host_memory_detail
