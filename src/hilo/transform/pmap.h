// SPDX-License-Identifier: Apache-2.0
// transform/pmap.h -- pmap: runs a function on several replicas at once, each with its slice of the arguments.
#pragma once

#include <source_location>

#include "hilo/transform/vmap.h"

namespace hilo {

class PmapCache;

namespace pmap_detail {

/// One call of a mapped function, without templates.
struct Call {
  FlatTree arguments;
  std::vector<size_t> leaf_counts;  ///< of each argument
  /// Runs the function on tracers. Stores the tree of its result and the number of leaves of each element.
  std::function<std::vector<Array>(std::span<const Array> leaves, std::shared_ptr<void>& prototype,
                                   std::vector<size_t>& result_leaf_counts)>
      trace;
};
struct Outcome {
  std::vector<Array> leaves;
  std::shared_ptr<void> prototype;
};

std::shared_ptr<PmapCache> make_cache(std::string axis_name, std::vector<Axis> in_axes, std::vector<Axis> out_axes,
                                      const std::source_location& location);
Outcome call(PmapCache& cache, const Call& call);

}  // namespace pmap_detail

/// The result of pmap. Copies share compiled programs.
template <typename F>
class Pmapped : public flat_call::TakesBraces<Pmapped<F>, flat_call::PlainParameters<F>> {
 public:
  Pmapped(F f, std::shared_ptr<PmapCache> cache) : f_(std::move(f)), cache_(std::move(cache)) {}

  using flat_call::TakesBraces<Pmapped, flat_call::PlainParameters<F>>::operator();
  template <typename... Args>
  auto operator()(const Args&... args) const {
    return call(args...);
  }
  template <typename... Args>
  auto call(const Args&... args) const {
    using Arguments = flat_call::Arguments<F, Args...>;
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    const Arguments arguments(args...);
    pmap_detail::Call call{hilo::flatten(arguments), flat_call::leaf_counts(arguments), {}};
    call.trace = [&](std::span<const Array> leaves, std::shared_ptr<void>& prototype, std::vector<size_t>& counts) {
      Result result = flat_call::call(f_, hilo::unflatten(arguments, leaves));
      FlatTree flat = hilo::flatten(result);
      counts = flat_call::element_leaf_counts(result);
      prototype = std::make_shared<Result>(flat_call::without_arrays(result));
      return flat.leaves;
    };
    const pmap_detail::Outcome outcome = pmap_detail::call(*cache_, call);
    return hilo::unflatten(*static_cast<const Result*>(outcome.prototype.get()), outcome.leaves);
  }

 private:
  F f_;
  std::shared_ptr<PmapCache> cache_;
};

/// Runs `f` on each slice of the mapped axis, one replica per slice: jax.pmap. In `f`, collectives such as lax::psum
/// communicate with the other replicas by `axis_name`. If several processes run the program (mpirun), each passes the
/// slices of its local_devices() and gets their results; collectives reach all processes.
/// Shapes     axes as in vmap; results are stacked along out_axes. Inside another transformation pmap means vmap with
///            that axis_name, with the same values.
/// Errors     INVALID_ARGUMENT if the axis is longer than the number of replicas (jax_replica_count), or as vmap;
///            ABORTED if a replica fails; UNAVAILABLE naming a lost process; UNIMPLEMENTED inside another
///            transformation in one of several processes
/// Cost       compiled once for each combination of argument types; a call copies each replica's slice and its results
/// Example    const auto total = pmap([](Array x) { return lax::psum(x, "i"); }, "i");
///            total(numpy::arange(3).reshape({1, 3}))  // [[0 1 2]]
template <typename F>
Pmapped<F> pmap(F f, std::string axis_name = {}, std::vector<Axis> in_axes = {0}, std::vector<Axis> out_axes = {0},
                std::source_location location = std::source_location::current()) {
  return Pmapped<F>(std::move(f),
                    pmap_detail::make_cache(std::move(axis_name), std::move(in_axes), std::move(out_axes), location));
}

}  // namespace hilo
