// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/vmap.h"

#include "hilo/transform/batch.h"

namespace hilo::vmap_detail {

std::vector<BatchDim> axes_of_leaves(const std::string& what, const std::vector<Axis>& axes,
                                     const std::vector<size_t>& leaf_counts) {
  if (axes.size() != 1 && axes.size() != leaf_counts.size()) {
    or_throw(invalid_argument(what + " must have one entry or one each: got " + std::to_string(axes.size()) + " for " +
                              std::to_string(leaf_counts.size())));
  }
  std::vector<BatchDim> dims;
  for (size_t i = 0; i < leaf_counts.size(); ++i) {
    const Axis axis = axes.size() == 1 ? axes[0] : axes[i];
    dims.insert(dims.end(), leaf_counts[i], axis ? BatchDim(*axis) : std::nullopt);
  }
  return dims;
}

std::vector<Array> vmap(const FlatFunction& f, std::span<const Array> leaves, const std::vector<size_t>& leaf_counts,
                        const std::vector<Axis>& in_axes, const std::vector<Axis>& out_axes,
                        const std::function<std::vector<size_t>()>& result_leaf_counts, const std::string& axis_name,
                        const std::source_location& location) {
  const std::string where = "vmap (" + describe_location(location) + ")";
  const std::vector<BatchDim> in_dims = axes_of_leaves(where + " in_axes", in_axes, leaf_counts);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (in_dims[i] && (*in_dims[i] >= leaves[i].ndim() || *in_dims[i] < -leaves[i].ndim())) {
      or_throw(invalid_argument(where + " in_axes: axis " + std::to_string(*in_dims[i]) +
                                " is out of range for argument leaf " + std::to_string(i) + " of type " +
                                leaves[i].aval_shape().to_string()));
    }
  }
  return vmap_flat(
      f, leaves, in_dims, [&](size_t) { return axes_of_leaves(where + " out_axes", out_axes, result_leaf_counts()); },
      where, axis_name);
}

std::vector<Array> abstract_results(const FlatFunction& f, std::span<const Array> leaves) {
  std::vector<Aval> avals;
  for (const Array& a : leaves) avals.push_back(a.aval());
  StagingTrace trace(&current_trace(), "eval_shape", "eval_shape");
  std::vector<Array> arguments;
  for (const Aval& aval : avals) arguments.push_back(trace.add_argument(aval));
  TraceScope scope(trace);
  return f(arguments);
}

}  // namespace hilo::vmap_detail
