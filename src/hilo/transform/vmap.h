// SPDX-License-Identifier: Apache-2.0
// transform/vmap.h -- vmap and eval_shape.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"
#include "hilo/transform/shape_dtype_struct.h"

namespace hilo {

/// The mapped axis of an argument; nullopt: not mapped.
using Axis = std::optional<int>;
inline constexpr std::nullopt_t kNoAxis = std::nullopt;

/// The mapped axes of an argument: one for all of its arrays, none, or one for each of its parts. Parts may have parts:
/// axes are a prefix of the argument's tree.
/// Example    {0, kNoAxis, std::pair(0, 1)}  for three arguments of which the last is a pair
class AxisTree {
 public:
  AxisTree(int axis) : axis_(axis) {}  // implicit, so that users can write plain numbers
  AxisTree(std::nullopt_t) {}
  AxisTree(std::nullptr_t) {}
  AxisTree(Axis axis) : axis_(axis) {}
  AxisTree(std::vector<AxisTree> parts) : has_parts_(true), parts_(std::move(parts)) {}
  template <typename... Parts>
  AxisTree(const std::tuple<Parts...>& parts)
      : has_parts_(true), parts_(std::apply([](const auto&... p) { return std::vector<AxisTree>{p...}; }, parts)) {}
  template <typename A, typename B>
  AxisTree(const std::pair<A, B>& parts) : has_parts_(true), parts_{parts.first, parts.second} {}

  /// A list of one part means that part.
  AxisTree(std::initializer_list<AxisTree> parts) {
    if (parts.size() == 1) *this = *parts.begin();
    else *this = AxisTree(std::vector<AxisTree>(parts));
  }

  const Axis& axis() const { return axis_; }
  bool has_parts() const { return has_parts_; }
  const std::vector<AxisTree>& parts() const { return parts_; }

 private:
  Axis axis_;
  bool has_parts_ = false;
  std::vector<AxisTree> parts_;
};

/// One axis for all arguments, or one for each.
/// Example    0, kNoAxis, {0, kNoAxis}, std::tuple(0, std::pair(0, 1))
class AxisList : public std::vector<AxisTree> {
 public:
  AxisList(int axis);  // implicit, so that users can write plain numbers
  AxisList(std::nullopt_t);
  AxisList(std::initializer_list<AxisTree> axes);
  AxisList(std::vector<AxisTree> axes);
  /// Doesn't compile: a text is the axis name, which has to be passed as .axis_name.
  template <std::same_as<char> C>
  AxisList(const C*) : vector{0} {  // converts, so that the static_assert below reports the error
    static_assert(kNever<C>, "pass the axis name by name: vmap(f, {.axis_name = \"i\"})");
  }
  template <typename... Axes>
  AxisList(const std::tuple<Axes...>& axes) : vector(AxisTree(axes).parts()) {}
};

/// Options of vmap, as in JAX.
struct VmapOptions {
  Named named = Named();
  AxisList in_axes = 0;                   ///< one entry per argument, or one for all
  AxisList out_axes = 0;                  ///< one entry per element of a result tuple, or one for all
  std::string axis_name = {};             ///< name of the axis for lax::psum and other collectives
  std::optional<int64_t> axis_size = {};  ///< required if no argument is mapped
  /// The mesh axis over which the batch is sharded: with_sharding_constraint inside the function adds it to the batch's
  /// dimension.
  std::string spmd_axis_name = {};
};

namespace vmap_detail {
/// The trees of a call: their number and their walk.
struct Trees {
  size_t count = 0;
  const void* value = nullptr;
  void (*walk_element)(const void* value, size_t i, TreeVisitor& visitor) = nullptr;
  void walk(size_t i, TreeVisitor& visitor) const { walk_element(value, i, visitor); }
};
/// The trees of a result, which exists once the function has run.
struct ResultTrees {
  const void* result;  ///< a std::optional
  Trees (*trees)(const void* result);
};
std::vector<Array> vmap(const FlatFunction& f, std::span<const Array> leaves, const Trees& arguments,
                        const ResultTrees& results, const VmapOptions& options, const std::source_location& location);
/// Returns one axis per leaf, from one axis per argument or one for all. `what` names the list in errors.
std::vector<std::optional<int64_t>> axes_of_leaves(const std::string& what, const std::vector<Axis>& axes,
                                                   const std::vector<size_t>& leaf_counts);
std::vector<Array> abstract_results(const FlatFunction& f, std::span<const Array> leaves);

template <typename T>
void walk_element(const void* value, size_t i, TreeVisitor& visitor) {
  T& tuple = *static_cast<T*>(const_cast<void*>(value));
  [&]<size_t... I>(std::index_sequence<I...>) {
    ((I == i ? hilo::walk(std::get<I>(tuple), visitor) : void()), ...);
  }(std::make_index_sequence<std::tuple_size_v<T>>());
}
template <typename T>
void walk_whole(const void* value, size_t, TreeVisitor& visitor) {
  hilo::walk(*static_cast<T*>(const_cast<void*>(value)), visitor);
}
/// Returns the elements of a tuple, or a value that isn't a tuple as the only element. `value` must outlive the result.
template <typename T>
Trees trees_of(const T& value) {
  if constexpr (tree_detail::IsTuple<T>::value) return {std::tuple_size_v<T>, &value, vmap_detail::walk_element<T>};
  else return {1, &value, vmap_detail::walk_whole<T>};
}
template <typename T>
Trees trees_of_kept(const void* result) {
  return vmap_detail::trees_of(**static_cast<const std::optional<T>*>(result));
}
}  // namespace vmap_detail

/// Vectorizes `f` over a batch axis: jax.vmap. Each operation runs once on the whole batch.
/// Shapes     in_axes name the mapped axis of each argument, which `f` doesn't see. All mapped axes have the same size
///            n. Results get an axis of size n at out_axes, 0 by default.
/// Errors     INVALID_ARGUMENT if mapped axes differ in size, axes are no prefix of an argument's tree, or neither a
///            mapped argument nor axis_size specifies the size
/// Gradient   that of the batched function
/// Example    const Array rows = numpy::arange(6).reshape({2, 3}), w = numpy::array({1, 0, 2});
///            const auto f = [](Array row, Array w) { return numpy::dot(row, w); };
///            vmap(f, {.in_axes = {0, kNoAxis}})(rows, w)  // [ 4 13]
template <typename F>
auto vmap(F f, VmapOptions options, std::source_location location = std::source_location::current()) {
  return flat_call::with_braces<F>([f = std::move(f), options = std::move(options), location](const auto&... args) {
    const TransformationLocation here(location);
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    // A function may return a C++ number: it is the same for all elements and is returned as an array.
    using Given = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    using Result = std::conditional_t<Number<Given>, Array, Given>;
    const Arguments arguments(args...);
    std::optional<Result> result;
    const std::vector<Array> leaves = vmap_detail::vmap(
        flat_call::flat_function(f, arguments, result), hilo::flatten(arguments).leaves,
        vmap_detail::trees_of(arguments), {&result, vmap_detail::trees_of_kept<Result>}, options, location);
    return hilo::unflatten(*result, leaves);
  });
}

/// Vectorizes `f`, with in_axes, out_axes and axis_name by position. kNoAxis: not batched.
/// Example    vmap([](Array x) { return numpy::sum(x); })(numpy::ones({2, 3}))  // [3. 3.]
template <typename F, std::convertible_to<AxisList> InAxes = AxisList>
auto vmap(F f, InAxes in_axes = 0, AxisList out_axes = 0, std::string axis_name = {},
          std::source_location location = std::source_location::current()) {
  return hilo::vmap(
      std::move(f),
      VmapOptions{.in_axes = std::move(in_axes), .out_axes = std::move(out_axes), .axis_name = std::move(axis_name)},
      location);
}

/// Returns the result of `f` with shapes and types but without values; computes nothing: jax.eval_shape. Arguments may
/// be ShapeDtypeStructs.
/// Example    const auto outer = [](Array x, Array y) { return numpy::outer(x, y); };
///            const ShapeDtypeStruct x({1000}, float32), y({20}, float32);
///            eval_shape(outer, x, y).shape()  // (1000, 20)
template <typename F, typename... Args>
auto eval_shape(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, vmap_detail::Abstract<Args>...>;
  using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
  const Arguments arguments(vmap_detail::abstract(args)...);
  std::optional<Result> result;
  const std::vector<Array> leaves =
      vmap_detail::abstract_results(flat_call::flat_function(f, arguments, result), hilo::flatten(arguments).leaves);
  return hilo::unflatten(*result, leaves);
}

}  // namespace hilo
