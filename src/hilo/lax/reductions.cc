// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/reductions.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/lax/axes.h"
#include "hilo/lax/reducer.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace {

using hlo::Opcode;

std::vector<int64_t> reduced_axes(const char* function, const Array& x, const Dimensions& axes) {
  for (int64_t axis : axes) {
    if (axis < 0) refuse(function, fmt::format("axis {} is negative; wanted 0 to {}", axis, x.ndim() - 1));
  }
  std::vector<int64_t> plain = canonical_axes(function, axes, x.ndim());
  std::ranges::sort(plain);
  return plain;
}

/// Returns the initial value; a weakly typed one is converted to the operand's type.
Array initial_of(const char* function, const Array& initial, const Array& operand) {
  if (initial.ndim() != 0) refuse(function, "init_value must be a scalar; got " + initial.aval_shape().to_string());
  if (initial.dtype() == operand.dtype()) return initial;
  if (!initial.weak_type() && !operand.weak_type())
    refuse(function, fmt::format("operand and init_value have one type; got {} and {}",
                                 operand.aval_shape().to_string(), initial.aval_shape().to_string()));
  return ops::convert_element_type(initial, operand.dtype());
}

Array named(const char* function, Opcode opcode, const Operand& operand, const Dimensions& axes, const Array& first) {
  const UserLocation here(operand.location());
  const Array out = ops::reduce(opcode, operand.array(), first, reduced_axes(function, operand.array(), axes));
  const bool bits = opcode == Opcode::kAnd || opcode == Opcode::kOr || opcode == Opcode::kXor;
  return with_weak_type(out, operand.array().weak_type() && !bits);
}

/// Returns all bits of a pred or integer type, or none.
Array bits(const char* function, const Array& x, bool all) {
  const ElementType type = x.dtype();
  if (type != ElementType::kPred && !is_integer(type))
    refuse(function, "wanted pred or integers; got " + x.aval_shape().to_string());
  const Array none = ops::scalar(0, type);
  return all ? ops::bitwise_not(none) : none;
}

/// The body of jax.lax.argmax: returns the larger (smaller) value, or NaN; of equal values the one with the lower
/// index.
std::vector<Array> better_of(std::span<const Array> x, bool greatest) {
  const Array &value = x[0], &index = x[1], &other = x[2], &other_index = x[3];
  const Array better = greatest ? ops::gt(value, other) : ops::lt(value, other);
  const Array keep = ops::bitwise_or(better, ops::ne(value, value));
  const Array tie = ops::bitwise_and(ops::eq(value, other), ops::lt(index, other_index));
  return {ops::select(keep, value, other), ops::select(ops::bitwise_or(keep, tie), index, other_index)};
}

Array arg_extreme(const char* function, const Operand& operand, int64_t axis, ElementType index_dtype, bool greatest) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const ElementType index = requested_type(function, index_dtype);
  if (!is_integer(index))
    refuse(function, fmt::format("index_dtype must be an integer type; got {}", element_type_name(index)));
  if (is_complex(x.dtype())) refuse(function, "complex numbers have no order; got " + x.aval_shape().to_string());
  const int64_t at = canonical_axis(function, axis, x.ndim());
  if (x.shape(at) == 0) refuse(function, fmt::format("axis {} of {} has no elements", at, x.aval_shape().to_string()));
  hlo::ReduceAttributes attributes;
  attributes.dimensions = {at};
  attributes.to_apply = stage_reducer(function, {x.dtype(), index},
                                      [&](std::span<const Array> both) { return better_of(both, greatest); });
  const Array positions = ops::iota(x.aval_shape().with_element_type(index), at);
  const Array first = greatest ? ops::lowest(x.dtype()) : ops::highest(x.dtype());
  return bind({Opcode::kReduce,
               {x, positions, first, ops::scalar(0, index)},
               std::make_shared<hlo::ReduceAttributes>(std::move(attributes)),
               std::nullopt})[1];
}

}  // namespace

std::vector<Array> reduce(
    const std::vector<Array>& operands, const std::vector<Array>& init_values,
    const std::function<std::vector<Array>(const std::vector<Array>&, const std::vector<Array>&)>& computation,
    const Dimensions& dimensions, std::source_location line) {
  const UserLocation here(line);
  if (operands.empty() || operands.size() != init_values.size())
    refuse("reduce", fmt::format("got {} operands and {} initial values", operands.size(), init_values.size()));
  std::vector<Array> all = operands;
  std::vector<ElementType> types;
  for (size_t i = 0; i < operands.size(); ++i) {
    all.push_back(initial_of("reduce", init_values[i], operands[i]));
    types.push_back(operands[i].dtype());
  }
  hlo::ReduceAttributes attributes;
  attributes.dimensions = reduced_axes("reduce", operands[0], dimensions);
  const int64_t count = operands.size();
  attributes.to_apply = stage_reducer("reduce", types, [&](std::span<const Array> both) {
    return computation({both.begin(), both.begin() + count}, {both.begin() + count, both.end()});
  });
  return bind(
      {Opcode::kReduce, std::move(all), std::make_shared<hlo::ReduceAttributes>(std::move(attributes)), std::nullopt});
}

Array reduce(const Operand& operand, const Operand& init_value,
             const std::function<Array(const Array&, const Array&)>& computation, const Dimensions& dimensions) {
  const auto lists = [&](const std::vector<Array>& x, const std::vector<Array>& y) {
    return std::vector<Array>{computation(x[0], y[0])};
  };
  return reduce({operand.array()}, {init_value.array()}, lists, dimensions, operand.location())[0];
}

Array reduce_sum(const Operand& operand, const Dimensions& axes) {
  return named("reduce_sum", Opcode::kAdd, operand, axes, ops::scalar(0, operand.array().dtype()));
}
Array reduce_max(const Operand& operand, const Dimensions& axes) {
  return named("reduce_max", Opcode::kMaximum, operand, axes, ops::lowest(operand.array().dtype()));
}
Array reduce_min(const Operand& operand, const Dimensions& axes) {
  return named("reduce_min", Opcode::kMinimum, operand, axes, ops::highest(operand.array().dtype()));
}
Array reduce_prod(const Operand& operand, const Dimensions& axes) {
  return named("reduce_prod", Opcode::kMultiply, operand, axes, ops::scalar(1, operand.array().dtype()));
}
Array reduce_and(const Operand& operand, const Dimensions& axes) {
  const UserLocation here(operand.location());
  return named("reduce_and", Opcode::kAnd, operand, axes, bits("reduce_and", operand, true));
}
Array reduce_or(const Operand& operand, const Dimensions& axes) {
  const UserLocation here(operand.location());
  return named("reduce_or", Opcode::kOr, operand, axes, bits("reduce_or", operand, false));
}
Array reduce_xor(const Operand& operand, const Dimensions& axes) {
  const UserLocation here(operand.location());
  return named("reduce_xor", Opcode::kXor, operand, axes, bits("reduce_xor", operand, false));
}

Array argmax(const Operand& operand, int64_t axis, ElementType index_dtype) {
  return arg_extreme("argmax", operand, axis, index_dtype, true);
}
Array argmin(const Operand& operand, int64_t axis, ElementType index_dtype) {
  return arg_extreme("argmin", operand, axis, index_dtype, false);
}

}  // namespace hilo::lax
