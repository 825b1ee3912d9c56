// SPDX-License-Identifier: Apache-2.0
// Ops on sharded arrays whose indices are known only at run time.
#include <algorithm>
#include <limits>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/indexed_access.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/ops/top_k.h"
#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/partition/op_parts.h"
#include "hilo/hlo/partition/own_form.h"
#include "hilo/hlo/partition/windows.h"

namespace hilo::hlo {
namespace {

/// Returns the largest number of an integer type, at most the maximum of s64.
int64_t max_value(ElementType type) {
  const int bits = element_type_info(type).bits - (is_signed_integer(type) ? 1 : 0);
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
}

/// Returns the index of this device's first element.
Expr part_begin(DeviceProgram& program, const Atoms& by, int64_t part_size) {
  return program.part_index(by) * static_cast<double>(part_size);
}

Expr s32(DeviceProgram& program, int64_t number) {
  return program.constant(Literal::scalar(static_cast<int32_t>(number)));
}

Expr clamped(DeviceProgram& program, Expr place, int64_t most) {
  return clamp(s32(program, 0), place, s32(program, most));
}

}  // namespace

StatusOr<ComputationPtr> joining_computation(ElementType type) {
  return scalar_binary_computation(*opcode_of(joining_kind(type).value_or(ReducerKind::kAdd)), type);
}

Expr joining_neutral(DeviceProgram& program, ElementType type) {
  return program.constant(*neutral_value(joining_kind(type).value_or(ReducerKind::kAdd), type));
}

Expr clamped_index(Expr index, int64_t most) {
  const Shape shape = index.shape();
  if (!is_integer(shape.element_type())) return index;
  const auto number = [&](int64_t value) { return full_like(index, static_cast<double>(value)); };
  if (most <= max_value(shape.element_type())) index = min(index, number(most));
  if (is_signed_integer(shape.element_type())) index = max(index, number(0));
  return convert(index, ElementType::kS32);
}

/// Reads the `c` elements of this device's shard, [begin, begin + n), that are closest to the requested range. Writes
/// them at their place in the result. That place may be partly or fully outside, so the result is padded first.
Expr own_elements(DeviceProgram& program, Expr part, int64_t dimension, const Atoms& by, Expr start, int64_t size) {
  if (!program.status().ok()) return part;
  const Shape shape = part.shape();
  const int64_t n = shape.dimension(dimension), c = std::min(n, size);
  const Expr begin = part_begin(program, by, n);
  const Expr from = clamped(program, start - begin, n - c);
  const Expr piece = slice_at(part, dimension, from, c);
  const Shape wide = with_dimension(shape, dimension, size + 2 * c);
  const Expr empty = broadcast(joining_neutral(program, shape.element_type()), wide.dimensions(), {});
  const Expr to = clamped(program, begin + from - start + static_cast<double>(c), size + c);
  return slice(put_at(empty, piece, dimension, to), dimension, c, c + size);
}

Exprs dynamic_slice_form(const OpOnParts& op) {
  const Shape &whole = op.operands[0], &result = op.results[0];
  const Shape part = op.operand_part(0);
  Exprs operands = {op.values[0]}, starts;
  Int64List sizes;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const Expr start = op.values[d + 1];
    const bool own = op.is_cut(0, d) || whole.dimension(d) == result.dimension(d);
    starts.push_back(clamped_index(start, whole.dimension(d) - result.dimension(d)));
    sizes.push_back(own ? part.dimension(d) : result.dimension(d));
    operands.push_back(own ? s32(op.program, 0) : starts.back());
  }
  Expr value =
      op.program.add_with<DynamicSliceAttributes>(Opcode::kDynamicSlice, operands, [&](auto& a) { a.sizes = sizes; });
  for (int64_t d = 0; d < whole.rank(); ++d) {
    if (op.is_cut(0, d) && whole.dimension(d) != result.dimension(d))
      value = own_elements(op.program, value, d, op.cut(0, d), starts[d], result.dimension(d));
  }
  return {value};
}

/// Each device reads as many elements as the update has, as close to the update as its shard allows. It writes them
/// back, replaced by the update where both overlap.
Exprs dynamic_update_slice_form(const OpOnParts& op) {
  const Shape& whole = op.operands[0];
  const Shape part = op.operand_part(0), update = op.operand_part(1);
  DeviceProgram& program = op.program;
  Expr fresh = op.values[1];
  Exprs starts;
  Int64List sizes;
  std::vector<std::pair<int64_t, Expr>> written;  // by sharded dimension: the index in the update of the first element
  const Expr zero = program.constant(Literal(Shape::scalar(whole.element_type())));
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const Expr start = op.values[d + 2];
    const int64_t n = part.dimension(d), u = update.dimension(d), c = std::min(n, u);
    const bool cut = op.is_cut(0, d), passes = whole.dimension(d) == op.operands[1].dimension(d);
    if (!cut || passes) {
      starts.push_back(passes ? s32(program, 0) : clamped_index(start, whole.dimension(d) - u));
      sizes.push_back(u);
      continue;
    }
    const Expr place = clamped_index(start, whole.dimension(d) - u), begin = part_begin(program, op.cut(0, d), n);
    starts.push_back(clamped(program, place - begin, n - c));
    sizes.push_back(c);
    written.emplace_back(d, begin + starts.back() - place);
    fresh = slice_at(pad_ends(fresh, d, c, c, zero), d, written.back().second + static_cast<double>(c), c);
  }
  if (!program.status().ok()) return op.values;
  Exprs read = {op.values[0]}, write = {op.values[0], fresh};
  read.insert(read.end(), starts.begin(), starts.end());
  write.insert(write.end(), starts.begin(), starts.end());
  if (!written.empty()) {
    const Expr old =
        program.add_with<DynamicSliceAttributes>(Opcode::kDynamicSlice, read, [&](auto& a) { a.sizes = sizes; });
    Expr inside;
    for (const auto& [d, first] : written) {
      const Expr one = is_in_range(program, fresh.shape(), d, first, 0, update.dimension(d));
      inside = inside.sink == nullptr ? one : bitwise_and(inside, one);
    }
    write[1] = select(inside, fresh, old);
  }
  return {program.add(Opcode::kDynamicUpdateSlice, write)};
}

namespace {

/// Indices relative to this device's shard, and which of them are inside it.
struct LocalIndices {
  Expr local;   ///< of a signed type, which can hold -1
  Expr inside;  ///< without the vector dimension; no sink: all are inside
};

/// Converts indices into an array; `places` are its indexed dimensions. `clamps`: indices out of range are clamped.
struct IndexConverter {
  const OpOnParts& op;
  Expr indices;
  const Int64List& places;
  int64_t vector_dimension;
  bool clamps;

  /// Returns an array like the indices with one number per component.
  Expr by_component(const std::vector<int64_t>& numbers) const;
  LocalIndices local() const;
};

Expr IndexConverter::by_component(const std::vector<int64_t>& numbers) const {
  const Shape shape = indices.shape();
  const bool wide = shape.element_type() == ElementType::kS64;
  Literal line(Shape::array(shape.element_type(), {std::ssize(numbers)}));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (wide) line.data<int64_t>()[i] = numbers[i];
    else line.data<int32_t>()[i] = static_cast<int32_t>(std::clamp<int64_t>(numbers[i], INT32_MIN, INT32_MAX));
  }
  const Expr vector = op.program.constant(std::move(line));
  if (vector_dimension < shape.rank()) return broadcast(vector, shape.dimensions(), {vector_dimension});
  return broadcast(reshape(vector, std::span<const int64_t>()), shape.dimensions(), {});
}

LocalIndices IndexConverter::local() const {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
  const Shape shape = indices.shape();
  std::vector<int64_t> low(places.size(), kMin), high(places.size(), kMax), last(places.size(), kMax);
  std::vector<int64_t> first(places.size(), kMin);
  Expr begins;
  for (size_t i = 0; i < places.size(); ++i) {
    const Atoms& by = op.cut(0, places[i]);
    if (by.empty()) continue;
    const int64_t whole = op.operands[0].dimension(places[i]), n = whole / op.program.atoms().size(by);
    std::vector<int64_t> only(places.size());
    only[i] = n;
    const Expr part = convert(op.program.part_index(by), shape.element_type());
    const Expr begin = by_component(only) * broadcast(part, shape.dimensions(), {});
    begins = begins.sink == nullptr ? begin : begins + begin;
    low[i] = first[i] = 0;
    high[i] = whole - 1;
    last[i] = n - 1;
  }
  if (begins.sink == nullptr) return {indices, {}};
  const Expr global = clamps ? clamp(by_component(low), indices, by_component(high)) : indices;
  const Expr local = global - begins;
  Expr inside = bitwise_and(local >= by_component(first), local <= by_component(last));
  if (vector_dimension < shape.rank()) {
    const StatusOr<ComputationPtr> all = scalar_binary_computation(Opcode::kAnd, ElementType::kPred);
    if (!all.ok()) op.program.fail(all.status());
    inside = op.program.add_with<ReduceAttributes>(Opcode::kReduce,
                                                   {inside, op.program.constant(Literal::scalar(true))}, [&](auto& a) {
                                                     a.dimensions = {vector_dimension};
                                                     a.to_apply = *all;
                                                   });
  }
  return {local, inside};
}

Expr signed_indices(Expr indices) {
  const ElementType type = indices.type();
  const bool narrow = element_type_info(type).bits < 32 || type == ElementType::kS32;
  return convert(indices, narrow ? ElementType::kS32 : ElementType::kS64);
}

bool any_cut(const OpOnParts& op, const Int64List& dimensions) {
  return std::ranges::any_of(dimensions, [&](int64_t d) { return op.is_cut(0, d); });
}

}  // namespace

/// Rows of other devices become the neutral element.
Exprs gather_form(const OpOnParts& op) {
  const auto& a = attributes_of<GatherAttributes>(op.instruction);
  const Shape result = op.result_part();
  const AttributesPtr attributes = local_attributes(op.instruction, op.operands[0], op.operand_part(0), result);
  if (!any_cut(op, a.start_index_map)) return {op.program.add(Opcode::kGather, op.values, attributes, result)};
  const IndexConverter words{op, signed_indices(op.values[1]), a.start_index_map, a.index_vector_dim, true};
  const LocalIndices indices = words.local();
  const Expr rows = op.program.add(Opcode::kGather, {op.values[0], indices.local}, attributes, result);
  if (indices.inside.sink == nullptr) return {rows};
  const Int64List batch = others(result.rank(), a.offset_dims);
  const Expr neutral = joining_neutral(op.program, result.element_type());
  return {
      select(broadcast(indices.inside, result.dimensions(), batch), rows, broadcast(neutral, result.dimensions(), {}))};
}

/// Updates of rows of other devices are dropped. If updates are sharded, only one device adds them to the old values.
Exprs scatter_form(const OpOnParts& op) {
  const auto& a = attributes_of<ScatterAttributes>(op.instruction);
  const size_t inputs = op.results.size();
  Exprs values = op.values;
  if (any_cut(op, a.scatter_dims_to_operand_dims)) {
    const IndexConverter words{op, signed_indices(values[inputs]), a.scatter_dims_to_operand_dims, a.index_vector_dim,
                               false};
    const LocalIndices indices = words.local();
    const Shape shape = indices.local.shape();
    if (indices.inside.sink != nullptr && op.program.status().ok())
      values[inputs] = select(broadcast(indices.inside, shape.dimensions(), others(shape.rank(), {a.index_vector_dim})),
                              indices.local, full_like(indices.local, -1));
  }
  if (!op.chosen.partial.empty() && op.program.status().ok()) {
    const Shape shape = op.operand_part(0);
    const Expr neutral = op.program.constant(*neutral_value(a.to_apply->reducer_kind(), shape.element_type()));
    const Expr first = op.program.part_index(op.chosen.partial) == 0.0;
    values[0] = select(broadcast(first, shape.dimensions(), {}), values[0], broadcast(neutral, shape.dimensions(), {}));
  }
  size_t next = 0;
  const Shape result = op.instruction.shape.map_leaves([&](const Shape&) { return op.result_part(next++); });
  return unpack(op.program.add(Opcode::kScatter, values, op.instruction.attributes, result));
}

/// Selects from the k best elements of each device, concatenated in device order. Among equal ones the first has the
/// smallest index.
Exprs top_k_form(const OpOnParts& op) {
  const auto& a = attributes_of<TopKAttributes>(op.instruction);
  const Shape part = op.operand_part(0);
  const int64_t last = part.rank() - 1, n = part.dimension(last);
  const Atoms& by = op.chosen.partial;
  const auto greatest = [&](Expr values, int64_t k) {
    return unpack(op.program.add_with<TopKAttributes>(Opcode::kTopK, {values}, [&](auto& result) {
      result = a;
      result.k = k;
    }));
  };
  const Exprs own = greatest(op.values[0], std::min(a.k, n));
  if (!op.program.status().ok()) return op.values;
  const Shape own_shape = own[1].shape();
  const Expr begin = part_begin(op.program, by, n);
  const Expr candidates = op.program.all_gather(own[0], last, by);
  const Expr places = op.program.all_gather(own[1] + broadcast(begin, own_shape.dimensions(), {}), last, by);
  const Exprs best = greatest(candidates, a.k);
  if (!op.program.status().ok()) return op.values;
  std::vector<int64_t> sizes(part.dimensions().begin(), part.dimensions().end());
  sizes.back() = a.k;
  sizes.push_back(1);
  const Expr found =
      op.program.add_with<GatherAttributes>(Opcode::kGather, {places, reshape(best[1], sizes)}, [&](auto& result) {
        for (int64_t d = 0; d < last; ++d) result.operand_batching_dims.push_back(d);
        result.start_indices_batching_dims = result.operand_batching_dims;
        result.collapsed_slice_dims = result.start_index_map = {last};
        result.index_vector_dim = last + 1;
        result.slice_sizes.assign(static_cast<size_t>(last) + 1, 1);
      });
  return {best[0], found};
}

}  // namespace hilo::hlo
