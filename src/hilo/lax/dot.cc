// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/dot.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/lax/window.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace {

using List = std::vector<int64_t>;

/// Returns the kind of a type: 0, 1, 2, 3 for pred, integers, floats, complex numbers.
int kind_of(ElementType type) {
  if (type == ElementType::kPred) return 0;
  if (is_integer(type)) return 1;
  return is_floating(type) ? 2 : 3;
}

/// Returns the type of the products: that of the higher kind; within one kind, the wider.
ElementType common_type(const Array& lhs, const Array& rhs) {
  const ElementType a = lhs.dtype(), b = rhs.dtype();
  const int64_t wide_a = element_type_info(a).bits, wide_b = element_type_info(b).bits;
  if (a == b) return a;
  const bool wide_real =
      (a == ElementType::kC64 && b == ElementType::kF64) || (b == ElementType::kC64 && a == ElementType::kF64);
  if (wide_real) return ElementType::kC128;
  if (kind_of(a) != kind_of(b)) return kind_of(a) > kind_of(b) ? a : b;
  if (wide_a != wide_b && (kind_of(a) != 1 || is_signed_integer(a) == is_signed_integer(b)))
    return wide_a > wide_b ? a : b;
  if (wide_a == 16 && kind_of(a) == 2) return ElementType::kF32;
  refuse("dot_general", fmt::format("got {} and {}, which no type of theirs holds both. Hint: convert_element_type",
                                    lhs.aval_shape().to_string(), rhs.aval_shape().to_string()));
}

Array in_type(const Array& x, ElementType type) { return x.dtype() == type ? x : ops::convert_element_type(x, type); }

/// Returns a mask of the indices of a ragged dimension that belong to each group: [..., g] -> pred[..., g, extent].
Array members(const Array& sizes, int64_t extent) {
  const int64_t last = sizes.ndim() - 1;
  const Array ends = cumsum(sizes, last), starts = ops::sub(ends, sizes);
  List shape(sizes.shape().begin(), sizes.shape().end());
  shape.push_back(extent);
  const Shape all = Shape::array(sizes.dtype(), shape);
  const auto spread = [&](const Array& x) { return ops::broadcast_in_dim(x, all, ops::all_dimensions(last + 1)); };
  const Array position = ops::iota(all, last + 1);
  return ops::bitwise_and(ops::ge(position, spread(starts)), ops::lt(position, spread(ends)));
}

/// Repeats lhs for each group along a leading axis, with zeros in rows of other groups. `outer` are the dimensions that
/// group_sizes has too.
Array by_group(const Array& lhs, const Array& group_sizes, int64_t ragged, const List& outer) {
  const int64_t lead = group_sizes.ndim() - 1;
  if (lead != 0 && lead != std::ssize(outer))
    refuse("ragged_dot", fmt::format("got group_sizes {} for {}; wanted [groups], or {} dimensions before the groups",
                                     group_sizes.aval_shape().to_string(), lhs.aval_shape().to_string(), outer.size()));
  List shape = {group_sizes.shape(lead)}, dimensions;
  shape.insert(shape.end(), lhs.shape().begin(), lhs.shape().end());
  for (int64_t i = 0; i < lead; ++i) dimensions.push_back(outer[i] + 1);
  dimensions.insert(dimensions.end(), {0, ragged + 1});
  // Groups are the leading axis and dimensions ascend, so the mask is transposed to the result's order.
  List order = ops::all_dimensions(lead + 2);
  std::ranges::sort(order, {}, [&](int64_t d) { return dimensions[d]; });
  const Array mask = ops::transpose(members(group_sizes, lhs.shape(ragged)), order);
  std::ranges::sort(dimensions);
  List behind = ops::all_dimensions(lhs.ndim());
  for (int64_t& d : behind) ++d;
  const Array spread = ops::broadcast_in_dim(lhs, Shape::array(lhs.dtype(), shape), behind);
  const Array chosen = ops::broadcast_in_dim(mask, Shape::array(ElementType::kPred, shape), dimensions);
  return ops::select(chosen, spread, ops::full_like(spread, 0));
}

List one_more(List dimensions) {
  for (int64_t& d : dimensions) ++d;
  return dimensions;
}

DotDimensionNumbers default_numbers(const char* function, const Array& lhs, const Array& rhs) {
  const bool simple = lhs.ndim() >= 1 && lhs.ndim() <= 2 && rhs.ndim() >= 1 && rhs.ndim() <= 2;
  if (!simple || lhs.shape(-1) != rhs.shape(0))
    refuse(function,
           fmt::format("got {} and {}; wanted vectors or matrices of which the last dimension of the first is as "
                       "long as the first of the second. Hint: dimension_numbers say what else to do",
                       lhs.aval_shape().to_string(), rhs.aval_shape().to_string()));
  return {{{lhs.ndim() - 1}, {0}}, {}};
}

/// Repeats each element of a scale over its block.
Array over_blocks(const Array& scale, const Array& x) {
  if (scale.ndim() != x.ndim())
    refuse("scaled_dot",
           fmt::format("got a scale {} for {}", scale.aval_shape().to_string(), x.aval_shape().to_string()));
  List pairs, dimensions;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    const int64_t blocks = scale.shape(d);
    if (blocks == 0 || x.shape(d) % blocks != 0)
      refuse("scaled_dot", fmt::format("got a scale {} for {}; its extents must divide the operand's",
                                       scale.aval_shape().to_string(), x.aval_shape().to_string()));
    pairs.insert(pairs.end(), {blocks, x.shape(d) / blocks});
    dimensions.push_back(2 * d);
  }
  return ops::reshape(ops::broadcast_in_dim(scale, Shape::array(scale.dtype(), pairs), dimensions), x.shape());
}

Array scaled(const Array& x, const std::optional<Array>& scale) {
  const Array rounded = in_type(x, ElementType::kBf16);
  return scale ? ops::mul(rounded, over_blocks(in_type(*scale, ElementType::kBf16), x)) : rounded;
}

}  // namespace

Array dot_general(const Operand& lhs, const Operand& rhs, const DotDimensionNumbers& dimension_numbers,
                  const DotGeneralOptions& options) {
  const UserLocation here(lhs.location());
  const bool narrow = lhs.array().dtype() != rhs.array().dtype() && options.preferred_element_type;
  const ElementType type = narrow ? *options.preferred_element_type : common_type(lhs, rhs);
  hlo::DotAttributes attributes;
  attributes.lhs_contracting_dimensions = dimension_numbers.contracting.lhs;
  attributes.rhs_contracting_dimensions = dimension_numbers.contracting.rhs;
  attributes.lhs_batch_dimensions = dimension_numbers.batch.lhs;
  attributes.rhs_batch_dimensions = dimension_numbers.batch.rhs;
  attributes.operand_precision = options.precision.words();
  Operation operation{hlo::Opcode::kDot,
                      {in_type(lhs, type), in_type(rhs, type)},
                      hlo::shared_attributes(std::move(attributes)),
                      std::nullopt};
  if (options.preferred_element_type) {
    operation.declared = result_avals(operation)[0].shape.with_element_type(
        requested_type("dot_general", *options.preferred_element_type));
  }
  return bind(operation)[0];
}

Array dot(const Operand& lhs, const Operand& rhs, const DotOptions& options) {
  const UserLocation here(lhs.location());
  const DotDimensionNumbers numbers =
      options.dimension_numbers ? *options.dimension_numbers : default_numbers("dot", lhs, rhs);
  return dot_general(lhs, rhs, numbers,
                     {.precision = options.precision, .preferred_element_type = options.preferred_element_type});
}

Array batch_matmul(const Operand& lhs, const Operand& rhs, const BatchMatmulOptions& options) {
  const UserLocation here(lhs.location());
  const int64_t rank = lhs.array().ndim();
  if (rank < 2 || rhs.array().ndim() != rank)
    refuse("batch_matmul", fmt::format("wanted two arrays of one rank, at least 2; got {} and {}",
                                       lhs.array().aval_shape().to_string(), rhs.array().aval_shape().to_string()));
  const List batch = ops::all_dimensions(rank - 2);
  return dot_general(lhs, rhs, {{{rank - 1}, {rank - 2}}, {batch, batch}}, {.precision = options.precision});
}

Array ragged_dot(const Operand& lhs, const Operand& rhs, const Operand& group_sizes, const RaggedDotOptions& options) {
  const UserLocation here(lhs.location());
  return ragged_dot_general(lhs, rhs, group_sizes, {{{{1}, {1}}, {}}, {0}, {0}}, options);
}

Array ragged_dot_general(const Operand& lhs, const Operand& rhs, const Operand& group_sizes,
                         const RaggedDotDimensionNumbers& numbers, const RaggedDotOptions& options) {
  const UserLocation here(lhs.location());
  const Array &x = lhs.array(), &sizes = group_sizes.array();
  const auto& [contracting, batch] = numbers.dot_dimension_numbers;
  if (numbers.lhs_ragged_dimensions.size() != 1 || !is_integer(sizes.dtype()) || sizes.ndim() < 1)
    refuse("ragged_dot", fmt::format("wanted one ragged dimension, and group sizes that are integers; got {} and {}",
                                     numbers.lhs_ragged_dimensions.size(), sizes.aval_shape().to_string()));
  const int64_t ragged = numbers.lhs_ragged_dimensions[0];
  if (ragged < 0 || ragged >= x.ndim()) refuse("ragged_dot", fmt::format("no dimension {} in lhs", ragged));
  const DotGeneralOptions dot_options = {options.precision, options.preferred_element_type};
  if (hlo::contains(batch.lhs, ragged)) return dot_general(x, rhs, numbers.dot_dimension_numbers, dot_options);
  const bool summed = hlo::contains(contracting.lhs, ragged);
  if (summed != numbers.rhs_group_dimensions.empty())
    refuse("ragged_dot", "rhs has a group dimension if the ragged dimension is kept, and none if it is contracted");
  List outer = batch.lhs;
  for (int64_t d : summed ? contracting.lhs : hlo::free_dimensions(x.ndim(), batch.lhs, contracting.lhs)) {
    if (d < ragged) outer.push_back(d);
  }
  const Array groups = by_group(x, sizes, ragged, outer);
  DotDimensionNumbers all = {{one_more(contracting.lhs), contracting.rhs}, {one_more(batch.lhs), batch.rhs}};
  if (!summed) {
    all.contracting.lhs.push_back(0);
    all.contracting.rhs.push_back(numbers.rhs_group_dimensions[0]);
    return dot_general(groups, rhs, all, dot_options);
  }
  const Array products = dot_general(groups, rhs, all, dot_options);
  List order = ops::all_dimensions(products.ndim());
  std::rotate(order.begin(), order.begin() + std::ssize(batch.lhs), order.begin() + std::ssize(batch.lhs) + 1);
  return ops::transpose(products, order);
}

Array scaled_dot(const Operand& lhs, const Operand& rhs, const ScaledDotOptions& options) {
  const UserLocation here(lhs.location());
  const Array &x = lhs.array(), &y = rhs.array();
  const bool batched = x.ndim() == 3 && y.ndim() == 3;
  const DotDimensionNumbers numbers = options.dimension_numbers ? *options.dimension_numbers
                                      : batched                 ? DotDimensionNumbers{{{2}, {1}}, {{0}, {0}}}
                                                                : default_numbers("scaled_dot", x, y);
  return dot_general(scaled(x, options.lhs_scale), scaled(y, options.rhs_scale), numbers,
                     {.preferred_element_type = options.preferred_element_type});
}

}  // namespace hilo::lax
