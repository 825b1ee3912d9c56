// SPDX-License-Identifier: Apache-2.0
// optim/microbatch.h -- optax.microbatch: a function of a batch, run on parts of the batch one after the other.
#pragma once

#include <functional>
#include <optional>
#include <source_location>
#include <vector>

#include "hilo/transform/vmap.h"

namespace hilo::optim {

/// How results of parts become that of the whole: their mean, their sum, the mean of those that ran, all of them along axis 0.
enum class AccumulationType : uint8_t { MEAN, SUM, RUNNING_MEAN, CONCAT };

/// One for all results, or one for each element of a result tuple.
class Accumulators : public std::vector<AccumulationType> {
 public:
  Accumulators(AccumulationType type);  // both convert
  Accumulators(std::initializer_list<AccumulationType> types);
};

struct MicrobatchOptions {
  Axes in_axes = 0;  ///< of the batch: one for all of argnums, or one for each
  /// So many parts run, the first ones; the others count as if they weren't there.
  std::optional<Array> num_real_microbatches = std::nullopt;
};

namespace detail {
/// What microbatch knows without templates. `result_counts` is asked once the function has run.
struct Microbatches {
  std::vector<int64_t> argnums, in_axes;
  std::vector<size_t> argument_counts;
  std::function<std::vector<size_t>()> result_counts;
  int64_t size = 0;
  Accumulators accumulators;
  std::optional<Array> num_real;
};
std::vector<Array> microbatched(const FlatFunction& f, std::span<const Array> leaves, const Microbatches& how);
}  // namespace detail

/// `fun` on parts of `microbatch_size` rows, in a loop: memory for one part at a time. Part i has the rows i, i + n, i + 2n, ...
/// of the n parts. Without a size `fun` itself. optax.microbatch.
/// argnums    the arguments that have a batch, each of trees
/// Errors     INVALID_ARGUMENT for batches that differ, that the size doesn't divide, and for means of integers
/// Gradient   as scan; with num_real_microbatches as while_loop
/// Example    microbatch(grad(loss), {1, 2}, 32, AccumulationType::MEAN)(params, images, labels)
template <typename F>
auto microbatch(F fun, Axes argnums, std::optional<int64_t> microbatch_size,
                Accumulators accumulator = AccumulationType::SUM, MicrobatchOptions options = {},
                std::source_location location = std::source_location::current()) {
  return [=](const auto&... args) {
    const TransformationLocation here(location);
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
    const Arguments arguments(args...);
    if (!microbatch_size) return Result(flat_call::call(fun, arguments));
    std::optional<Result> result;
    const auto counts = [&] { return flat_call::element_leaf_counts(*result); };
    const std::vector<Array> leaves =
        detail::microbatched(flat_call::flat_function(fun, arguments, result), hilo::flatten(arguments).leaves,
                             {*argnums, *options.in_axes, flat_call::leaf_counts(arguments), counts, *microbatch_size,
                              accumulator, options.num_real_microbatches});
    return hilo::unflatten(*result, leaves);
  };
}

}  // namespace hilo::optim
