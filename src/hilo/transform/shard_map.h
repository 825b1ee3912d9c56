// SPDX-License-Identifier: Apache-2.0
// transform/shard_map.h -- shard_map: runs a function on each device's shard of the arguments, with collectives over
// mesh axes.
#pragma once

#include <source_location>

#include "hilo/mesh/sharded_array.h"
#include "hilo/transform/jit.h"

namespace hilo {

/// One spec for all, or one for each.
/// Example    P("x"), {P("x"), P()}
class SpecList : public std::vector<PartitionSpec> {
 public:
  SpecList(const PartitionSpec& all);  // implicit, so that users can write plain specs
  SpecList(std::initializer_list<PartitionSpec> each);
  SpecList(std::vector<PartitionSpec> each);
};

struct ShardMapOptions {
  /// Mesh axes that the function sees; empty: all. Along the others, propagation may shard arrays inside of the
  /// function.
  std::vector<std::string> axis_names = {};
  /// Rejects an out_spec without an axis over which the result varies. If false, the first device's value is the
  /// result.
  bool check_vma = true;
};

namespace shard_map_detail {

struct Mapping {
  Mesh mesh;
  SpecList in_specs, out_specs;
  ShardMapOptions options;
  std::source_location location;
};

/// Runs `f` on the shards of `leaves`. `argument_leaves` has the number of leaves of each argument; `result_leaves`
/// returns those of each result once `f` has run.
std::vector<Array> run(const Mapping& mapping, const FlatFunction& f, std::span<const Array> leaves,
                       const std::vector<size_t>& argument_leaves,
                       const std::function<std::vector<size_t>()>& result_leaves);

}  // namespace shard_map_detail

/// Runs `f` on each device's shard of the arguments: jax.shard_map. In `f`, collectives such as lax::psum communicate
/// along one or several axes of the mesh: lax::psum(x, {"x", "y"}). The function is traced and compiled once, as by
/// jit.
/// Shapes     in_specs (one per argument, or one for all) specify how arguments are split; out_specs (one per element
///            of a result tuple, or one for all) how results are joined. Along axes missing in a spec, all devices get
///            or return equal values. Under another transformation shard_map becomes nested vmaps, one per mesh axis,
///            with the same results.
/// Errors     INVALID_ARGUMENT for specs longer than the rank, unknown axes, dimensions that the number of devices
///            doesn't divide, and results that vary along an axis missing in their spec
/// Gradient   of the call: that of the whole computation. Inside of `f`: as inside of vmap; the gradient of a value
///            shared by all devices is each device's contribution, to be summed by psum (JAX's check_vma=False)
/// Example    const Mesh mesh = make_mesh({1}, {"x"});
///            const auto total = shard_map([](Array x) { return lax::psum(numpy::sum(x), "x"); }, mesh, P("x"), P());
///            total(numpy::arange(4))  // 6
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

/// Arguments of shard_map with JAX's names: shard_map(f, {.mesh = mesh, .in_specs = P("x"), .out_specs = P()}).
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

/// Doesn't compile: shard_map needs a mesh and specs.
template <typename F>
F shard_map(F f) {
  static_assert(
      kNever<F>,
      "shard_map takes a mesh and specs: shard_map(f, {.mesh = mesh, .in_specs = P(\"x\"), .out_specs = P()})");
  return f;
}

}  // namespace hilo
