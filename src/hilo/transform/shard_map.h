// SPDX-License-Identifier: Apache-2.0
// transform/shard_map.h -- shard_map: a function of each device's part of its arguments, which speaks to the others by the
// axes of their mesh.
#pragma once

#include <source_location>

#include "hilo/mesh/sharded_array.h"
#include "hilo/transform/jit.h"

namespace hilo {

/// One spec for all, or one for each.
/// Example    P("x"), {P("x"), P()}
class SpecList : public std::vector<PartitionSpec> {
 public:
  SpecList(const PartitionSpec& all);  // specs are written as they are
  SpecList(std::initializer_list<PartitionSpec> each);
  SpecList(std::vector<PartitionSpec> each);
};

struct ShardMapOptions {
  /// Axes that the function sees; arrays may be shared along the others inside of it, as propagation finds. Empty: all.
  std::vector<std::string> axis_names = {};
  /// Refuses an out_spec without an axis over which the result varies; else the first device's value is the result.
  bool check_vma = true;
};

namespace shard_map_detail {

struct Mapping {
  Mesh mesh;
  SpecList in_specs, out_specs;
  ShardMapOptions options;
  std::source_location location;
};

/// `f` on the parts of `leaves`; `argument_leaves` are those of each argument, `result_leaves` those of each result, known
/// once f has run.
std::vector<Array> run(const Mapping& mapping, const FlatFunction& f, std::span<const Array> leaves,
                       const std::vector<size_t>& argument_leaves,
                       const std::function<std::vector<size_t>()>& result_leaves);

}  // namespace shard_map_detail

/// `f` on each device's part of the arguments, as jax.shard_map. in_specs say how arguments are cut, one an argument or one
/// for all; out_specs how results are put together, one an element of a result tuple or one for all. A spec without an axis
/// means that all devices along it get the same, and give the same. In `f`, lax::psum and its kin speak to the devices
/// along an axis of the mesh, or several: lax::psum(x, {"x", "y"}). It is traced once and compiled, as by jit.
/// Values     those of vmap over one axis for each of the mesh's, which is what it is under other transformations too
/// Errors     INVALID_ARGUMENT for specs longer than ranks, of axes that aren't the mesh's or the function's, for dimensions
///            that devices don't divide, and for a result that varies where its spec says it doesn't
/// Gradient   through it: that of the whole. Inside of `f`: as inside of vmap, so that the gradient for what all devices have
///            is each device's own share, to be summed by psum (JAX's check_vma=False)
/// Example    shard_map([](Array x) { return lax::psum(numpy::sum(x), "x"); }, mesh, P("x"), P())(x)
template <typename F>
auto shard_map(F f, const Mesh& mesh, SpecList in_specs, SpecList out_specs, ShardMapOptions options = {},
               std::source_location location = std::source_location::current()) {
  return hilo::jit(
      [f = std::move(f), mapping = shard_map_detail::Mapping{mesh, std::move(in_specs), std::move(out_specs),
                                                             std::move(options), location}](const auto&... args) {
        using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
        using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
        const Arguments arguments(args...);
        std::optional<Result> result;
        const std::vector<Array> leaves = shard_map_detail::run(
            mapping, flat_call::flat_function(f, arguments, result), hilo::flatten(arguments).leaves,
            flat_call::leaf_counts(arguments), [&] { return flat_call::element_leaf_counts(*result); });
        return hilo::unflatten(*result, leaves);
      },
      JitOptions{.name = "shard_map"}, location);
}

/// The same by JAX's names: shard_map(f, {.mesh = mesh, .in_specs = P("x"), .out_specs = P()}).
struct ShardMapByName {
  Mesh mesh;
  SpecList in_specs, out_specs;
  std::vector<std::string> axis_names = {};
  bool check_vma = true;
};
template <typename F>
auto shard_map(F f, const ShardMapByName& o, std::source_location location = std::source_location::current()) {
  return hilo::shard_map(std::move(f), o.mesh, o.in_specs, o.out_specs, {o.axis_names, o.check_vma}, location);
}

/// Doesn't compile: which devices have which part?
template <typename F>
F shard_map(F f) {
  static_assert(
      kNever<F>,
      "shard_map takes a mesh and specs: shard_map(f, {.mesh = mesh, .in_specs = P(\"x\"), .out_specs = P()})");
  return f;
}

}  // namespace hilo
