// SPDX-License-Identifier: Apache-2.0
// transform/vmap.h -- vmap and eval_shape.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"
#include "hilo/transform/shape_dtype_struct.h"

namespace hilo {

/// The axis of an argument that is mapped over, or none.
using Axis = std::optional<int>;
inline constexpr std::nullopt_t kNoAxis = std::nullopt;

/// Axes of an argument: one for all of its arrays, none, or one for each of its parts, which are axes again: a prefix of
/// the argument's tree.
/// Example    {0, kNoAxis, std::pair(0, 1)}  for three arguments of which the last is a pair
class AxisTree {
 public:
  AxisTree(int axis) : axis_(axis) {}  // axes are written as they are
  AxisTree(std::nullopt_t) {}
  AxisTree(std::nullptr_t) {}
  AxisTree(Axis axis) : axis_(axis) {}
  AxisTree(std::vector<AxisTree> parts) : has_parts_(true), parts_(std::move(parts)) {}
  template <typename... Parts>
  AxisTree(const std::tuple<Parts...>& parts)
      : has_parts_(true), parts_(std::apply([](const auto&... p) { return std::vector<AxisTree>{p...}; }, parts)) {}
  template <typename A, typename B>
  AxisTree(const std::pair<A, B>& parts) : has_parts_(true), parts_{parts.first, parts.second} {}

  /// {0, none}, of one part that part.
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

/// One axis for all, or one for each.
/// Example    0, kNoAxis, {0, kNoAxis}, std::tuple(0, std::pair(0, 1))
class AxisList : public std::vector<AxisTree> {
 public:
  AxisList(int axis);  // axes are written as they are
  AxisList(std::nullopt_t);
  AxisList(std::initializer_list<AxisTree> axes);
  AxisList(std::vector<AxisTree> axes);
  /// Doesn't compile: names have a name.
  template <std::same_as<char> C>
  AxisList(const C*) : vector{0} {  // it converts, to be refused
    static_assert(kNever<C>, "the axis name has a name: vmap(f, {.axis_name = \"i\"})");
  }
  template <typename... Axes>
  AxisList(const std::tuple<Axes...>& axes) : vector(AxisTree(axes).parts()) {}
};

/// What vmap is told beside its function, as in JAX.
struct VmapOptions {
  Named named = Named();
  AxisList in_axes = 0;                   ///< one entry an argument, or one for all
  AxisList out_axes = 0;                  ///< one entry an element of a result tuple, or one for all
  std::string axis_name = {};             ///< by which lax::psum and the like may name the axis
  std::optional<int64_t> axis_size = {};  ///< needed where no argument is mapped
  /// The axis of a mesh that shares the batch: with_sharding_constraint inside the function says it of the batch's dimension.
  std::string spmd_axis_name = {};
};

namespace vmap_detail {
/// The trees of a call: how many, and their walk.
struct Trees {
  size_t count = 0;
  const void* value = nullptr;
  void (*walk_element)(const void* value, size_t i, TreeVisitor& visitor) = nullptr;
  /// Shows tree `i` to a visitor.
  void walk(size_t i, TreeVisitor& visitor) const { walk_element(value, i, visitor); }
};
/// Those of a result that is there once the function has run.
struct ResultTrees {
  const void* result;  ///< a std::optional
  Trees (*trees)(const void* result);
};
std::vector<Array> vmap(const FlatFunction& f, std::span<const Array> leaves, const Trees& arguments,
                        const ResultTrees& results, const VmapOptions& options, const std::source_location& location);
/// One axis a leaf, from one axis an argument or one for all. `what` names the list in errors.
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
/// The elements of a tuple, or the whole of what is none. `value` outlives what comes back.
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

/// `f` on a whole batch at once. jax.vmap.
/// Errors     INVALID_ARGUMENT if mapped axes differ in size, axes are no prefix of an argument's tree, or nothing is
///            mapped and no axis_size given
/// Example    vmap(f, {.in_axes = {0, kNoAxis}, .axis_name = "batch"})(rows, w)
template <typename F>
auto vmap(F f, VmapOptions options, std::source_location location = std::source_location::current()) {
  return flat_call::with_braces<F>([f = std::move(f), options = std::move(options), location](const auto&... args) {
    const TransformationLocation here(location);
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    // A number is the same of each element, and comes back as an array of them.
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

/// The same with what everybody says by position. kNoAxis: not batched.
/// Example    vmap([](Array x) { return numpy::sum(x); })(rows)
template <typename F, std::convertible_to<AxisList> InAxes = AxisList>
auto vmap(F f, InAxes in_axes = 0, AxisList out_axes = 0, std::string axis_name = {},
          std::source_location location = std::source_location::current()) {
  return hilo::vmap(
      std::move(f),
      VmapOptions{.in_axes = std::move(in_axes), .out_axes = std::move(out_axes), .axis_name = std::move(axis_name)},
      location);
}

/// The result of `f` with shapes and types but no values: nothing is computed. Arguments may be ShapeDtypeStructs.
/// jax.eval_shape.
/// Example    eval_shape(f, ShapeDtypeStruct({1000, 1000}, ElementType::kF32)).shape()
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
