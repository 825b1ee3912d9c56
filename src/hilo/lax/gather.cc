// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/gather.h"

#include "hilo/lax/indexing.h"
#include "hilo/lax/reducer.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace {

hlo::GatherAttributes attributes_of(const GatherDimensionNumbers& numbers, const Array& indices,
                                    const Dimensions& slice_sizes, const GatherOptions& options) {
  hlo::GatherAttributes g;
  g.offset_dims = numbers.offset_dims;
  g.collapsed_slice_dims = numbers.collapsed_slice_dims;
  g.start_index_map = numbers.start_index_map;
  g.operand_batching_dims = numbers.operand_batching_dims;
  g.start_indices_batching_dims = numbers.start_indices_batching_dims;
  g.index_vector_dim = indices.ndim() - 1;
  g.slice_sizes = slice_sizes;
  g.indices_are_sorted = options.indices_are_sorted;
  return g;
}

hlo::ScatterAttributes attributes_of(const ScatterDimensionNumbers& numbers, const Array& indices, bool sorted,
                                     bool unique) {
  const GatherDimensionNumbers inverse = {numbers.update_window_dims, numbers.inserted_window_dims,
                                          numbers.scatter_dims_to_operand_dims, numbers.operand_batching_dims,
                                          numbers.scatter_indices_batching_dims};
  hlo::ScatterAttributes s = scatter_of(attributes_of(inverse, indices, {}, {.indices_are_sorted = sorted}));
  s.unique_indices = unique;
  return s;
}

void check_indices(const char* function, const Array& indices) {
  if (indices.ndim() > 0 && is_integer(indices.dtype())) return;
  or_throw(invalid_argument(at_user_line(function) +
                            ": indices must be integers with index vectors along the last dimension; got " +
                            indices.aval_shape().to_string()));
}

Array scattered(const char* function, const Operand& operand, const Operand& indices, const Array& updates,
                const ScatterDimensionNumbers& numbers, const ScatterOptions& options,
                std::optional<hlo::Opcode> opcode) {
  check_indices(function, indices);
  return scatter(operand.array(), indices.array(), updates,
                 attributes_of(numbers, indices, options.indices_are_sorted, options.unique_indices),
                 options.mode.mode(), opcode);
}

}  // namespace

GatherScatterMode::GatherScatterMode(const char* word, std::source_location location) {
  const std::string_view text = word;
  if (text == "clip") mode_ = IndexMode::kClip;
  else if (text == "fill" || text == "drop") mode_ = IndexMode::kFillOrDrop;
  else if (text == "promise_in_bounds") mode_ = IndexMode::kPromiseInBounds;
  else
    or_throw(invalid_argument("mode (" + describe_location(location) + "): got '" + std::string(text) +
                              "', wanted fill, drop, clip or promise_in_bounds"));
}

Array gather(const Operand& operand, const Operand& start_indices, const GatherDimensionNumbers& dimension_numbers,
             const Dimensions& slice_sizes, const GatherOptions& options) {
  const UserLocation here(operand.location());
  check_indices("gather", start_indices);
  const IndexMode mode = options.mode.mode();
  return gather(operand.array(), start_indices.array(),
                attributes_of(dimension_numbers, start_indices, slice_sizes, options),
                mode == IndexMode::kUnspecified ? IndexMode::kPromiseInBounds : mode, options.fill_value);
}

#define HILO_SCATTER(name, opcode)                                                                  \
  Array name(const Operand& operand, const Operand& scatter_indices, const Operand& updates,        \
             const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options) {     \
    const UserLocation here(operand.location());                                                    \
    return scattered(#name, operand, scatter_indices, updates, dimension_numbers, options, opcode); \
  }
HILO_SCATTER(scatter, std::nullopt)
HILO_SCATTER(scatter_add, hlo::Opcode::kAdd)
HILO_SCATTER(scatter_mul, hlo::Opcode::kMultiply)
HILO_SCATTER(scatter_min, hlo::Opcode::kMinimum)
HILO_SCATTER(scatter_max, hlo::Opcode::kMaximum)
#undef HILO_SCATTER

Array scatter_sub(const Operand& operand, const Operand& scatter_indices, const Operand& updates,
                  const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options) {
  const UserLocation here(operand.location());
  return scattered("scatter_sub", operand, scatter_indices, ops::neg(updates.array()), dimension_numbers, options,
                   hlo::Opcode::kAdd);
}

Array scatter_apply(const Operand& operand, const Operand& scatter_indices,
                    const std::function<Array(const Array&)>& func, const ScatterDimensionNumbers& dimension_numbers,
                    const ScatterApplyOptions& options) {
  const UserLocation here(operand.location());
  const Array &x = operand.array(), &indices = scatter_indices.array();
  check_indices("scatter_apply", indices);
  const Array updates = ops::full(or_throw(Shape::make_array(x.dtype(), options.update_shape)), 0);
  hlo::ScatterAttributes s =
      attributes_of(dimension_numbers, indices, options.indices_are_sorted, options.unique_indices);
  s.to_apply = stage_reducer("scatter_apply", {x.dtype()},
                             [&](std::span<const Array> both) { return std::vector<Array>{func(both[0])}; });
  const Array at = lax::scatter_indices(s, x, indices, updates, options.mode.mode());
  return bind_one(hlo::Opcode::kScatter, {x, at, updates}, std::make_shared<hlo::ScatterAttributes>(std::move(s)));
}

}  // namespace hilo::lax
