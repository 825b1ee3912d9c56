// SPDX-License-Identifier: Apache-2.0
// optim/microbatch.h -- optax.microbatch: runs a function on parts of a batch, one after another.
#pragma once

#include <functional>
#include <optional>
#include <source_location>
#include <vector>

#include "hilo/transform/vmap.h"

namespace hilo::optim {

/// How the results of the parts are combined: mean, sum, mean of the parts that ran, or concatenation along axis 0.
enum class AccumulationType : uint8_t { MEAN, SUM, RUNNING_MEAN, CONCAT };

/// One accumulation type for all results, or one for each element of a result tuple.
class Accumulators : public std::vector<AccumulationType> {
 public:
  Accumulators(AccumulationType type);  // implicit: both convert
  Accumulators(std::initializer_list<AccumulationType> types);
};

struct MicrobatchOptions {
  Axes in_axes = 0;  ///< batch axis: one for all of argnums, or one for each
  /// number of leading parts that run; the others are treated as absent
  std::optional<Array> num_real_microbatches = std::nullopt;
};

namespace detail {
/// The arguments of the untemplated part of microbatch. `result_counts` is called after the function has run.
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

/// Runs `fun` on parts of `microbatch_size` rows in a loop, so that memory for only one part is needed. Part i has the
/// rows i, i + n, i + 2n, ... of the n parts. Without a size, calls `fun` directly.
/// argnums    the arguments with a batch axis; they are pytrees
/// Errors     INVALID_ARGUMENT for batches of different sizes, sizes that are not a multiple of microbatch_size, and
///            means of integers
/// Gradient   as for scan; with num_real_microbatches as for while_loop
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
