// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/microbatch.h"

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/slicing.h"
#include "hilo/numpy/numpy.h"

namespace hilo::optim::detail {
namespace {

/// Returns the batch axis of each leaf, or nullopt. The first argument_counts[0] leaves belong to argument 0, and so
/// on.
std::vector<std::optional<int64_t>> batch_axes(std::span<const Array> leaves, const Microbatches& how) {
  const int64_t arguments = how.argument_counts.size();
  if (how.in_axes.size() != 1 && how.in_axes.size() != how.argnums.size())
    refuse("microbatch", "in_axes must be one axis, or one for each of argnums");
  std::vector<std::optional<int64_t>> of_arguments(how.argument_counts.size());
  for (size_t k = 0; k < how.argnums.size(); ++k) {
    const int64_t i = how.argnums[k] < 0 ? how.argnums[k] + arguments : how.argnums[k];
    if (i < 0 || i >= arguments)
      refuse("microbatch", "argnums: got " + std::to_string(how.argnums[k]) + " of " + std::to_string(arguments));
    of_arguments[i] = how.in_axes[how.in_axes.size() == 1 ? 0 : k];
  }
  std::vector<std::optional<int64_t>> axes;
  for (size_t i = 0; i < of_arguments.size(); ++i) axes.insert(axes.end(), how.argument_counts[i], of_arguments[i]);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i]) continue;
    if (*axes[i] < 0) *axes[i] += leaves[i].ndim();
    if (*axes[i] < 0 || *axes[i] >= leaves[i].ndim())
      refuse("microbatch", "in_axes: " + leaves[i].aval_shape().to_string() + " has no such axis");
  }
  return axes;
}

/// Returns the number of parts.
int64_t count_parts(std::span<const Array> leaves, const std::vector<std::optional<int64_t>>& axes, int64_t size) {
  std::optional<int64_t> batch;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!axes[i]) continue;
    const int64_t extent = leaves[i].shape(*axes[i]);
    if (batch && *batch != extent)
      refuse("microbatch", "batches differ; got " + std::to_string(*batch) + " and " + std::to_string(extent));
    batch = extent;
  }
  if (!batch) refuse("microbatch", "argnums select no array; wanted one with a batch");
  if (size <= 0 || *batch % size != 0 || *batch == 0)
    refuse("microbatch", "a batch of " + std::to_string(*batch) + " is not a multiple of " + std::to_string(size));
  return *batch / size;
}

Array zeros_of(const Array& part, AccumulationType type, int64_t count) {
  numpy::Shape shape(part.shape());
  if (type == AccumulationType::CONCAT) shape.insert(shape.begin(), count);
  if (type != AccumulationType::CONCAT && type != AccumulationType::SUM && !is_floating(part.dtype()) &&
      !is_complex(part.dtype()))
    refuse("microbatch", "the mean of " + part.aval_shape().to_string() + "; wanted floats");
  return numpy::zeros(shape, part.dtype());
}

/// Accumulates the result of part i into `so_far`.
Array with_part(const Array& so_far, const Array& part, AccumulationType type, const Array& i) {
  if (type == AccumulationType::CONCAT) return so_far.at(i).set(part);
  if (type != AccumulationType::RUNNING_MEAN) return numpy::astype(so_far + part, so_far.dtype());
  const Array share = numpy::astype(i, so_far.dtype()) / numpy::astype(i + 1, so_far.dtype());
  return numpy::astype(so_far * share + part * (1 - share), so_far.dtype());
}

Array finished(const Array& x, AccumulationType type, int64_t count) {
  if (type == AccumulationType::MEAN) return numpy::astype(x / static_cast<double>(count), x.dtype());
  if (type != AccumulationType::CONCAT || x.ndim() == 1) return x;
  numpy::Shape shape(x.shape().begin() + 1, x.shape().end());
  shape[0] *= count;
  return numpy::reshape(numpy::swapaxes(x, 0, 1), shape);  // row j of part i was row i + j * count
}

}  // namespace

std::vector<Array> microbatched(const FlatFunction& f, std::span<const Array> leaves, const Microbatches& how) {
  const auto axes = batch_axes(leaves, how);
  const int64_t count = count_parts(leaves, axes, how.size);
  std::vector<Array> cut(leaves.begin(), leaves.end());
  for (size_t k = 0; k < cut.size(); ++k) {
    if (!axes[k]) continue;
    numpy::Shape shape(cut[k].shape());
    shape[*axes[k]] = how.size;
    shape.insert(shape.begin() + *axes[k] + 1, count);
    cut[k] = numpy::reshape(cut[k], shape);
  }
  const auto part = [&](const Array& i) {
    std::vector<Array> own = cut;
    for (size_t k = 0; k < own.size(); ++k)
      if (axes[k]) own[k] = lax::dynamic_index_in_dim(own[k], i, *axes[k] + 1, false);
    return own;
  };
  const std::vector<Array> shapes = vmap_detail::abstract_results(f, part(0));
  std::vector<AccumulationType> types;
  const std::vector<size_t> counts = how.result_counts();
  if (how.accumulators.size() != 1 && how.accumulators.size() != counts.size())
    refuse("microbatch", "got " + std::to_string(how.accumulators.size()) +
                             " accumulators; wanted one, or one for each of " + std::to_string(counts.size()) +
                             " results");
  for (size_t k = 0; k < counts.size(); ++k)
    types.insert(types.end(), counts[k], how.accumulators[how.accumulators.size() == 1 ? 0 : k]);
  std::vector<Array> carry;
  for (size_t k = 0; k < shapes.size(); ++k) carry.push_back(zeros_of(shapes[k], types[k], count));
  const auto body = [&](const Array& i, std::vector<Array> so_far) {
    const std::vector<Array> results = f(part(i));
    for (size_t k = 0; k < results.size(); ++k) so_far[k] = with_part(so_far[k], results[k], types[k], i);
    return so_far;
  };
  carry = how.num_real ? lax::fori_loop(Operand(0), Operand(*how.num_real), body, carry)
                       : lax::fori_loop(int64_t{0}, count, body, carry);
  for (size_t k = 0; k < carry.size(); ++k) carry[k] = finished(carry[k], types[k], count);
  return carry;
}

}  // namespace hilo::optim::detail

namespace hilo::optim {

Accumulators::Accumulators(AccumulationType type) : vector{type} {}
Accumulators::Accumulators(std::initializer_list<AccumulationType> types) : vector(types) {}

}  // namespace hilo::optim
