// SPDX-License-Identifier: Apache-2.0
// Values with bounded sizes: tensor<?x3xf32, #stablehlo.bounds<5, ?>>. Their arrays have the size of the bound. The
// limit of a dimension, which is the actual size, is a number that the program computes. Elements beyond a limit are
// undefined, so operations that combine elements of a dimension first replace them.
#include "hilo/stablehlo/translate/bounded.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/stablehlo/translate/chlo.h"
#include "hilo/stablehlo/translate/control_flow.h"
#include "hilo/stablehlo/translate/data.h"
#include "hilo/stablehlo/translate/elements.h"
#include "hilo/stablehlo/translate/op_sink.h"
#include "hilo/stablehlo/translate/plain.h"

namespace hilo::stablehlo {

using hlo::Expr;
using hlo::InstructionId;
using hlo::kNoInstruction;
using hlo::Opcode;

namespace {

const Type& type_of_result(const OpContext& op, uint32_t i) {
  return op.tree().type_of(op.tree().result(op.operation, i));
}

/// Returns the limits of a value's dimensions; empty if it has none.
Limits limits_of(const OpContext& op, ValueId value) {
  const auto found = op.translator.limits.find(value);
  return found == op.translator.limits.end() ? Limits() : found->second;
}
Limits operand_limits(const OpContext& op, uint32_t i) { return limits_of(op, op.tree().operand(op.operation, i)); }

/// Sets the limits of result `i` in the dimensions for which its type has a bound.
void set_limits(const OpContext& op, uint32_t i, Limits limits) {
  const std::vector<int64_t>& bounds = type_of_result(op, i).bounds;
  bool any = false;
  for (size_t d = 0; d < limits.size(); ++d) {
    if (d >= bounds.size() || bounds[d] == kDynamic) limits[d] = kNoInstruction;
    any |= limits[d] != kNoInstruction;
  }
  if (any) op.translator.limits[op.tree().result(op.operation, i)] = std::move(limits);
  else op.translator.limits.erase(op.tree().result(op.operation, i));
}

/// Returns the array with the scalar `fill` beyond its limits, in the dimensions that `joins` accepts.
template <typename Joins>
Expr masked(OpSink& sink, Expr x, const Limits& limits, Expr fill, const Joins& joins) {
  const Shape places = x.shape().with_element_type(ElementType::kS32);
  for (size_t d = 0; d < limits.size(); ++d) {
    if (limits[d] == kNoInstruction || !joins(d)) continue;
    const Expr limit = sink.spread(sink.at(limits[d]), {}, places);
    const Expr beyond = sink.spread(fill, {}, x.shape());
    x = select(iota(sink, places, d) < limit, x, beyond);
  }
  return x;
}

Expr zero_of(OpSink& sink, Expr x) { return full(sink, Shape::scalar(x.type()), 0); }
Expr number(OpSink& sink, int64_t value) {
  return full(sink, Shape::scalar(ElementType::kS32), static_cast<double>(value));
}

bool always(int64_t) { return true; }

/// Translates the operation with other arrays as operands.
Status translate_with(const OpContext& op, const std::vector<std::pair<uint32_t, InstructionId>>& operands) {
  std::vector<std::pair<ValueId, InstructionId>> before;
  for (const auto& [i, id] : operands) {
    const ValueId value = op.tree().operand(op.operation, i);
    before.emplace_back(value, op.translator.ids[value]);
    op.translator.ids[value] = id;
  }
  const Status done = op.row.translate(op);
  for (auto entry = before.rbegin(); entry != before.rend(); ++entry) op.translator.ids[entry->first] = entry->second;
  return done;
}

/// Translates an operation whose results have the limits of the operands with the same shape.
Status translate_alike(const OpContext& op) {
  HILO_RETURN_IF_ERROR(op.row.translate(op));
  const bool pairwise = op.operation.results.count > 1;
  for (uint32_t r = 0; r < op.operation.results.count; ++r) {
    const size_t rank = type_of_result(op, r).dimensions.size();
    Limits all(rank, kNoInstruction);
    for (uint32_t i = 0; i < op.operation.operands.count; ++i) {
      const Limits own = operand_limits(op, i);
      if (own.size() != rank || (pairwise && i != r)) continue;
      for (size_t d = 0; d < rank; ++d) {
        if (all[d] == kNoInstruction) all[d] = own[d];
      }
    }
    set_limits(op, r, std::move(all));
  }
  return ok_status();
}

Status translate_set_size(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId array, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const InstructionId size, op.operand(1));
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("dimension"));
  OpSink sink(op);
  const Expr x = sink.at(array);
  if (!x.shape().is_array() || dimension < 0 || dimension >= x.shape().rank())
    return invalid_argument(fmt::format("{} has no dimension {}", x.shape().to_string(), dimension));
  if (!is_integer(sink.at(size).type()) || !sink.at(size).shape().is_scalar())
    return invalid_argument(fmt::format("the size is {}; wanted s32[]", sink.at(size).shape().to_string()));
  Limits limits = operand_limits(op, 0);
  limits.resize(x.shape().rank(), kNoInstruction);
  limits[dimension] = convert(sink.at(size), ElementType::kS32).id;
  op.define(0, array);
  set_limits(op, 0, std::move(limits));
  return sink.status();
}

Status translate_get_size(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("dimension"));
  const Limits limits = operand_limits(op, 0);
  if (dimension < 0 || dimension >= std::ssize(limits) || limits[dimension] == kNoInstruction)
    return op.row.translate(op);
  op.define(0, limits[dimension]);
  return ok_status();
}

/// Fills the reduced dimensions with the initial values beyond the limits.
Status translate_bounded_reduce(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions, op.integers("dimensions"));
  const auto joins = [&](int64_t d) { return std::ranges::find(dimensions, d) != dimensions.end(); };
  const uint32_t arrays = op.operation.operands.count / 2;
  OpSink sink(op);
  std::vector<std::pair<uint32_t, InstructionId>> inside;
  for (uint32_t i = 0; i < arrays; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId array, op.operand(i));
    HILO_ASSIGN_OR_RETURN(const InstructionId initial, op.operand(arrays + i));
    inside.emplace_back(i, masked(sink, sink.at(array), operand_limits(op, i), sink.at(initial), joins).id);
  }
  HILO_RETURN_IF_ERROR(sink.status());
  HILO_RETURN_IF_ERROR(translate_with(op, inside));
  for (uint32_t i = 0; i < arrays && i < op.operation.results.count; ++i) {
    const Limits limits = operand_limits(op, i);
    Limits kept;
    for (size_t d = 0; d < limits.size(); ++d) {
      if (!joins(d)) kept.push_back(limits[d]);
    }
    set_limits(op, i, std::move(kept));
  }
  return ok_status();
}

/// Fills the contracted dimensions with zeros beyond the limits.
Status translate_bounded_dot(const OpContext& op) {
  const std::vector<int64_t> none;
  OpSink sink(op);
  std::vector<std::pair<uint32_t, InstructionId>> inside;
  Limits result;
  for (const uint32_t i : {0u, 1u}) {
    const std::string_view side = i == 0 ? "lhs" : "rhs";
    HILO_ASSIGN_OR_RETURN(const auto batch, op.integers(fmt::format("{}_batching_dimensions", side), none));
    HILO_ASSIGN_OR_RETURN(const auto summed, op.integers(fmt::format("{}_contracting_dimensions", side), none));
    const auto is_in = [](const std::vector<int64_t>& list, int64_t d) {
      return std::ranges::find(list, d) != list.end();
    };
    HILO_ASSIGN_OR_RETURN(const InstructionId array, op.operand(i));
    const Expr x = sink.at(array);
    Limits limits = operand_limits(op, i);
    limits.resize(x.shape().rank(), kNoInstruction);
    inside.emplace_back(i, masked(sink, x, limits, zero_of(sink, x), [&](int64_t d) { return is_in(summed, d); }).id);
    for (size_t b = 0; b < batch.size(); ++b) {
      const InstructionId limit = batch[b] >= 0 && batch[b] < std::ssize(limits) ? limits[batch[b]] : kNoInstruction;
      if (i == 0) result.push_back(limit);
      else if (b < result.size() && result[b] == kNoInstruction) result[b] = limit;
    }
    for (int64_t d = 0; d < x.shape().rank(); ++d) {
      if (!is_in(batch, d) && !is_in(summed, d)) result.push_back(limits[d]);
    }
  }
  HILO_RETURN_IF_ERROR(sink.status());
  HILO_RETURN_IF_ERROR(translate_with(op, inside));
  set_limits(op, 0, std::move(result));
  return ok_status();
}

/// Sets the result's limits: dimension d of the result is dimension `from[d]` of the operand, or none of it (-1).
Status translate_moved(const OpContext& op, const std::vector<int64_t>& from) {
  const Limits limits = operand_limits(op, 0);
  HILO_RETURN_IF_ERROR(op.row.translate(op));
  Limits moved;
  for (const int64_t d : from) moved.push_back(d >= 0 && d < std::ssize(limits) ? limits[d] : kNoInstruction);
  set_limits(op, 0, std::move(moved));
  return ok_status();
}

Status translate_bounded_broadcast(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> places, op.integers("broadcast_dimensions"));
  std::vector<int64_t> from(type_of_result(op, 0).dimensions.size(), -1);
  for (size_t d = 0; d < places.size(); ++d) {
    if (places[d] >= 0 && places[d] < std::ssize(from)) from[places[d]] = d;
  }
  return translate_moved(op, from);
}

/// Dimensions with a limit keep it if the numbers of elements in the dimensions before and after them are unchanged.
Status translate_bounded_reshape(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId array, op.operand(0));
  const Shape shape = op.builder.shape(array);
  const std::vector<int64_t>& sizes = type_of_result(op, 0).dimensions;
  const Limits limits = operand_limits(op, 0);
  std::vector<int64_t> from(sizes.size(), -1);
  int64_t before = 1;
  for (int64_t d = 0; d < shape.rank(); before *= shape.dimension(d++)) {
    if (d >= std::ssize(limits) || limits[d] == kNoInstruction) continue;
    int64_t own_before = 1;
    size_t place = 0;
    while (place < sizes.size() && (own_before != before || sizes[place] != shape.dimension(d)) && own_before <= before)
      own_before *= sizes[place++];
    if (place == sizes.size() || own_before != before || sizes[place] != shape.dimension(d))
      return unimplemented(fmt::format("a reshape that splits dimension {}, whose size is bounded", d));
    from[place] = d;
  }
  return translate_moved(op, from);
}

/// Full ranges keep their limit; partial ranges have none, so all of their elements count.
Status translate_bounded_slice(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, op.integers("start_indices"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> ends, op.integers("limit_indices"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> strides, op.integers("strides"));
  HILO_ASSIGN_OR_RETURN(const InstructionId array, op.operand(0));
  const Shape shape = op.builder.shape(array);
  std::vector<int64_t> from;
  for (int64_t d = 0; d < shape.rank() && d < std::ssize(ends); ++d) {
    const bool whole = starts[d] == 0 && strides[d] == 1 && ends[d] == shape.dimension(d);
    from.push_back(whole ? d : -1);
  }
  return translate_moved(op, from);
}

/// Each operand is written at the end of the previous one and overwrites that operand's elements beyond its limit.
Status translate_bounded_concatenate(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("dimension"));
  HILO_ASSIGN_OR_RETURN(const Shape shape, op.result_shape());
  const size_t along = dimension;
  if (dimension < 0 || dimension >= shape.rank()) return invalid_argument(fmt::format("no dimension {}", dimension));
  OpSink sink(op);
  Limits limits(shape.rank(), kNoInstruction);
  Expr whole = full(sink, shape, 0), start = number(sink, 0);
  for (uint32_t i = 0; i < op.operation.operands.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId array, op.operand(i));
    const Limits own = operand_limits(op, i);
    hlo::Exprs operands = {whole, sink.at(array)};
    for (int64_t d = 0; d < shape.rank(); ++d) operands.push_back(d == dimension ? start : number(sink, 0));
    whole = sink.add(Opcode::kDynamicUpdateSlice, operands);
    const bool bounded = along < own.size() && own[along] != kNoInstruction;
    start = start + (bounded ? sink.at(own[along]) : number(sink, sink.at(array).shape().dimension(dimension)));
    for (size_t d = 0; d < own.size(); ++d) {
      if (d != along && limits[d] == kNoInstruction) limits[d] = own[d];
    }
  }
  HILO_RETURN_IF_ERROR(sink.define(whole));
  limits[along] = start.id;
  set_limits(op, 0, std::move(limits));
  return ok_status();
}

/// Fills elements beyond a limit with the padding value, so that padding at the end is correct.
Status translate_bounded_pad(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> low, op.integers("edge_padding_low"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> high, op.integers("edge_padding_high"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> interior, op.integers("interior_padding"));
  HILO_ASSIGN_OR_RETURN(const InstructionId array, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const InstructionId fill, op.operand(1));
  Limits limits = operand_limits(op, 0);
  OpSink sink(op);
  const Expr inside = masked(sink, sink.at(array), limits, sink.at(fill), always);
  for (size_t d = 0; d < limits.size() && d < low.size() && d < high.size() && d < interior.size(); ++d) {
    if (limits[d] == kNoInstruction) continue;
    const Expr size = sink.at(limits[d]);
    const Expr gaps = max(size - 1, number(sink, 0)) * static_cast<double>(interior[d]);
    limits[d] = max(size + gaps + static_cast<double>(low[d] + high[d]), number(sink, 0)).id;
  }
  HILO_RETURN_IF_ERROR(sink.status());
  HILO_RETURN_IF_ERROR(translate_with(op, {{0, inside.id}}));
  set_limits(op, 0, std::move(limits));
  return ok_status();
}

/// Sorting and reversing other dimensions doesn't change the limits.
Status translate_apart(const OpContext& op, const std::vector<int64_t>& dimensions) {
  for (uint32_t i = 0; i < op.operation.operands.count; ++i) {
    const Limits limits = operand_limits(op, i);
    for (const int64_t d : dimensions) {
      if (d >= 0 && d < std::ssize(limits) && limits[d] != kNoInstruction)
        return unimplemented(fmt::format("along dimension {}, whose size is bounded", d));
    }
  }
  return translate_alike(op);
}

Status translate_bounded_sort(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(int64_t dimension, op.integer("dimension", -1));
  if (dimension < 0) dimension += std::ssize(op.tree().type_of(op.tree().operand(op.operation, 0)).dimensions);
  return translate_apart(op, {dimension});
}

bool is_alike(const OpContext& op) {
  constexpr Handler kAlike[] = {translate_elementwise,
                                translate_compare,
                                translate_select,
                                translate_clamp,
                                translate_extreme,
                                translate_convert,
                                translate_cbrt,
                                translate_reduce_precision,
                                translate_identity,
                                translate_barrier,
                                translate_sharding_constraint,
                                translate_conj,
                                translate_square,
                                translate_is_infinite,
                                translate_hyperbolic,
                                translate_constant_like};
  return std::ranges::find(kAlike, op.row.translate) != std::end(kAlike);
}

Status translate_by_name(const OpContext& op) {
  const std::string_view name = op.row.name;
  if (name == "reshape") return translate_bounded_reshape(op);
  if (is_alike(op)) return translate_alike(op);
  if (name == "func.call") return op.row.translate(op);  // inlined
  if (name == "reduce") return translate_bounded_reduce(op);
  if (name == "dot_general") return translate_bounded_dot(op);
  if (name == "broadcast_in_dim") return translate_bounded_broadcast(op);
  if (name == "slice") return translate_bounded_slice(op);
  if (name == "concatenate") return translate_bounded_concatenate(op);
  if (name == "pad") return translate_bounded_pad(op);
  if (name == "sort") return translate_bounded_sort(op);
  if (name == "transpose") {
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> permutation, op.integers("permutation"));
    return translate_moved(op, permutation);
  }
  if (name == "reverse") {
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions, op.integers("dimensions"));
    return translate_apart(op, dimensions);
  }
  return unimplemented("an operand of bounded size");
}

}  // namespace

Status translate_bounded(const OpContext& op) {
  if (op.row.name == "set_dimension_size") return translate_set_size(op);
  if (op.row.name == "get_dimension_size") return translate_get_size(op);
  for (uint32_t i = 0; i < op.operation.operands.count; ++i) {
    if (op.translator.limits.contains(op.tree().operand(op.operation, i))) return translate_by_name(op);
  }
  return op.row.translate(op);
}

StatusOr<InstructionId> zero_beyond(const OpContext& op, ValueId value) {
  OpSink sink(op);
  const Expr x = sink.at(op.translator.ids[value]);
  const Limits limits = limits_of(op, value);
  if (limits.empty()) return x.id;
  const Expr result = masked(sink, x, limits, zero_of(sink, x), always);
  HILO_RETURN_IF_ERROR(sink.status());
  return result.id;
}

}  // namespace hilo::stablehlo
