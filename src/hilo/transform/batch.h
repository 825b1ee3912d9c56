// SPDX-License-Identifier: Apache-2.0
// transform/batch.h -- runs a function on a whole batch at once; implements vmap.
#pragma once

#include "hilo/hlo/ir/held_bytes.h"
#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {

struct BatchTracer final : TracerOf<BatchTracer> {
  BatchTracer(std::shared_ptr<const TraceRecord> record, Array value, int64_t dim);
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override;
  Array value;  ///< includes the batch axis
  int64_t dim;  ///< position of the batch axis
};

/// Tracks the batch axis of values. Rules run in the parent trace. A named axis resolves named-axis operations of that
/// name.
class BatchTrace final : public Trace {
 public:
  BatchTrace(Trace* parent, BatchContext context) : Trace(parent, "vmap"), context_(std::move(context)) {
    if (!context_.axis_name.empty()) name_axis({context_.axis_name, context_.axis_size});
  }
  std::vector<Array> bind(const Operation& operation) override;

  Array wrap(Array value, BatchDim dim);
  const Array& value_of_batch(const Array& array) const;
  BatchDim dim_of(const Array& array) const;

 private:
  BatchContext context_;
};

/// Runs `f` on arguments, some of which have the batch axis. Each result has the axis where `f` leaves it.
BatchResult run_batched(const FlatFunction& f, std::span<const Array> arguments, std::span<const BatchDim> dims,
                        const BatchContext& context);

/// Runs `f` on arguments with batch axes `in_dims`. Each result gets its batch axis at `out_dims[i]`, broadcast if it
/// has none; if out_dims[i] is nullopt, a batched result is an error. `where` begins messages: "vmap (train.cc:41)".
/// `axis_name` and `spmd_axis_name` may be empty. `axis_size` is required if no argument is batched.
std::vector<Array> vmap_flat(const FlatFunction& f, std::span<const Array> arguments, std::span<const BatchDim> in_dims,
                             const std::function<std::vector<BatchDim>(size_t result_count)>& out_dims,
                             std::string_view where = "vmap", const std::string& axis_name = {},
                             std::optional<int64_t> axis_size = std::nullopt, const std::string& spmd_axis_name = {});

/// A computation over batched leaves. Batched parameters and results have the axis in front. Parameters are flat; the
/// root is a tuple. `force` makes results batched even if they needn't be. Memoised.
struct BatchedComputation {
  hlo::ComputationPtr computation;
  std::vector<bool> batched_results;
};
inline int64_t held_bytes(const BatchedComputation& batched) { return hlo::held_bytes(batched.computation); }
BatchedComputation batch_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& batched,
                                     const std::vector<bool>& force, const BatchContext& context);

Array move_axis(const Array& array, int64_t from, int64_t to);
/// Returns the array with its batch axis at `to`: moved, or broadcast if it has none.
Array batch_axis_at(const Array& array, BatchDim dim, int64_t to, int64_t axis_size);

}  // namespace hilo
