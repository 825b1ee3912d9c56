// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/direct_calls.h"

#include <algorithm>

#include "hilo/hlo/ops/custom_call.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/custom_rules.h"

namespace hilo::scipy::sparse::linalg::detail {
namespace {

using Arrays = std::vector<Array>;
using Sizes = std::vector<int64_t>;
using Batch = std::function<BatchResult(std::span<const Array>, std::span<const BatchDim>, const BatchContext&)>;

/// Returns the first `rank` sizes, and `inner`.
hilo::Shape shape_of(ElementType type, std::span<const int64_t> outer, std::initializer_list<int64_t> inner) {
  Sizes sizes(outer.begin(), outer.end());
  sizes.insert(sizes.end(), inner);
  return hilo::Shape::array(type, sizes);
}

/// Binds a custom call with its own batching rule. `what` and the operands' shapes identify the call.
Arrays bind_call(const DirectPlanPtr& plan, const hlo::CustomCallOptions& options, std::span<const Array> operands,
                 const hilo::Shape& results, int64_t what, const Batch& batch) {
  const FlatFunction body = [&](std::span<const Array> x) {
    Arrays all = {plan->list};
    all.insert(all.end(), x.begin(), x.end());
    std::vector<hilo::Shape> shapes;
    for (const Array& a : all) shapes.push_back(a.aval_shape());
    const auto attributes = hlo::make_custom_call(options, shapes, results.leaves().size());
    return bind({hlo::Opcode::kCustomCall, std::move(all), attributes, results});
  };
  if (runs_at_once(operands)) return body(operands);
  const StagedFunction staged =
      stage(body, avals_of(operands), options.target, options.target, CapturePlace::kLast, /*always_tuple=*/true);
  auto rules = std::make_shared<CustomRules>();
  const size_t count = operands.size();
  rules->batch = [batch, count](const Operation& operation, std::span<const BatchDim> dims,
                                const BatchContext& context) {
    return batch(std::span(operation.operands).first(count), dims.first(count), context);
  };
  const int64_t parts[] = {what};
  return bind_custom_rules(staged, operands, options.target, derived_custom_rules_id(plan->id, parts),
                           std::move(rules));
}

BatchResult all_in_front(Arrays results) {
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

/// Folds the batch axis of b [..., n, k] into its columns, solves, and returns the axis as the last one.
BatchResult solve_columns(const DirectPlanPtr& plan, std::span<const Array> operands, int64_t axis,
                          const BatchContext& context, bool transposed) {
  const Array b = move_axis(operands[4], axis, operands[4].ndim() - 1);
  Sizes sizes(b.shape().begin(), b.shape().end()), folded(sizes.begin(), sizes.end() - 1);
  folded.back() *= context.axis_size;
  const Array x =
      sparse_solve(plan, operands[0], {operands[1], operands[2], operands[3]}, ops::reshape(b, folded), transposed);
  return {{ops::reshape(x, sizes)}, {BatchDim(std::ssize(sizes) - 1)}};
}

}  // namespace

FactorArrays sparse_factor(const DirectPlanPtr& plan, const Array& data) {
  const auto outer = data.shape().first(data.ndim() - 1);
  const hilo::Shape results[] = {shape_of(data.dtype(), outer, {plan->factor_size}),
                                 shape_of(ElementType::kS32, outer, {plan->size}),
                                 shape_of(ElementType::kS32, outer, {2})};
  const Batch batch = [plan](std::span<const Array> x, std::span<const BatchDim> dims, const BatchContext& context) {
    const FactorArrays all = sparse_factor(plan, batch_axis_at(x[0], dims[0], 0, context.axis_size));
    return all_in_front({all.factor, all.pivots, all.info});
  };
  const Arrays all =
      bind_call(plan, {"hilo_sparse_factor_ffi", ""}, std::span(&data, 1), hilo::Shape::tuple(results), 0, batch);
  return {all[0], all[1], all[2]};
}

Array sparse_solve(const DirectPlanPtr& plan, const Array& data, const FactorArrays& factors, const Array& b,
                   bool transposed) {
  const Array operands[] = {data, factors.factor, factors.pivots, factors.info, b};
  const Batch batch = [plan, transposed](std::span<const Array> x, std::span<const BatchDim> dims,
                                         const BatchContext& context) {
    const auto has_axis = [](const BatchDim& dim) { return dim.has_value(); };
    if (std::ranges::none_of(dims.first(4), has_axis)) return solve_columns(plan, x, *dims[4], context, transposed);
    Arrays all;
    for (size_t i = 0; i < x.size(); ++i) all.push_back(batch_axis_at(x[i], dims[i], 0, context.axis_size));
    return all_in_front({sparse_solve(plan, all[0], {all[1], all[2], all[3]}, all[4], transposed)});
  };
  const std::string config = transposed ? "{transpose = true}" : "{transpose = false}";
  return bind_call(plan, {"hilo_sparse_solve_ffi", config}, operands, b.aval_shape(), transposed ? 2 : 1, batch)[0];
}

}  // namespace hilo::scipy::sparse::linalg::detail
