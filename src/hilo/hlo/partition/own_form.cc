// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/own_form.h"

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/ext/map.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/partition/op_parts.h"
#include "hilo/hlo/partition/windows.h"

namespace hilo::hlo {
namespace {

Expr own_opcode(const OpOnParts& op, const Exprs& values, AttributesPtr attributes, const Shape& result) {
  return op.program.add(op.instruction.opcode, values, std::move(attributes), result);
}

Shape result_of(const OpOnParts& op) {
  size_t next = 0;
  return op.instruction.shape.map_leaves([&](const Shape&) { return op.result_part(next++); });
}

/// The window of elements that each device reads along a dimension, and the padding that the op applies to it.
struct LocalWindows {
  WindowRequest request;
  int64_t low = 0, high = 0;  ///< remaining padding
};

/// Returns the windows for `windows` result elements per device. With base dilation, the number of dilated places
/// before the first element of a shard must be equal on all devices (alike_windows).
LocalWindows local_windows(const WindowDimension& window, int64_t size, int64_t windows, int64_t parts) {
  const auto up = [](int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); };
  LocalWindows result;
  const int64_t width = (windows - 1) * window.stride + (window.size - 1) * window.window_dilation + 1;
  for (int64_t k = 0; k < parts; ++k) {
    const int64_t place = k * windows * window.stride - window.padding_low;
    const int64_t first = up(place, window.base_dilation);
    result.request.begins.push_back(first);
    result.low = first * window.base_dilation - place;
  }
  result.request.size = std::max<int64_t>(1, (width - 1 - result.low) / window.base_dilation + 1);
  result.request.high = size;
  result.high = width - result.low - ((result.request.size - 1) * window.base_dilation + 1);
  return result;
}

Expr fetched(const OpOnParts& op, size_t operand, Expr value, int64_t dimension, const Atoms& by,
             const WindowRequest& request, Expr fill) {
  const CutArray array{value, op.operands[operand].dimension(dimension)};
  const Expr window = fetch_windows(op.program, std::span(&array, 1), dimension, by, std::span(&request, 1))[0];
  return fill_outside(op.program, window, dimension, by, request, fill);
}

}  // namespace

/// Halo elements are fetched from neighbors and are zero beyond the ends. If the kernel is sharded, each device reads
/// the input that its kernel elements need and computes a partial sum.
Exprs convolution_form(const OpOnParts& op) {
  auto attributes = std::make_shared<ConvolutionAttributes>(attributes_of<ConvolutionAttributes>(op.instruction));
  const ConvolutionDimensions& names = attributes->dimensions;
  Exprs values = op.values;
  const Expr zero = op.program.constant(Literal(Shape::scalar(op.operands[0].element_type())));
  for (size_t i = 0; i < names.input_spatial.size(); ++i) {
    const int64_t dimension = names.input_spatial[i];
    const Atoms& by = op.cut(0, dimension);
    WindowDimension& window = attributes->window[i];
    if (by.empty() || window == WindowDimension{}) continue;
    const int64_t parts = op.program.atoms().size(by), size = op.operands[0].dimension(dimension);
    LocalWindows local;
    if (op.is_cut(1, names.kernel_spatial[i])) {
      const int64_t taps = window.size / parts, windows = op.results[0].dimension(names.output_spatial[i]);
      window.size = taps;
      local = local_windows(window, size, windows, 1);
      for (int64_t k = 1; k < parts; ++k)
        local.request.begins.push_back(local.request.begins[0] + k * taps * window.window_dilation);
    } else {
      local = local_windows(window, size, op.result_part().dimension(names.output_spatial[i]), parts);
    }
    window.padding_low = local.low;
    window.padding_high = local.high;
    values[0] = fetched(op, 0, values[0], dimension, by, local.request, zero);
  }
  return {own_opcode(op, values, attributes, op.result_part())};
}

Exprs reduce_window_form(const OpOnParts& op) {
  if (const auto along = cumulative_of(op.instruction, op.computation); along && op.is_cut(0, along->dimension))
    return cumulative_form(op);
  auto attributes = std::make_shared<ReduceWindowAttributes>(attributes_of<ReduceWindowAttributes>(op.instruction));
  const size_t arrays = op.results.size();
  Exprs values = op.values;
  for (size_t d = 0; d < attributes->window.size(); ++d) {
    const Atoms& by = op.cut(0, d);
    WindowDimension& window = attributes->window[d];
    if (by.empty() || window == WindowDimension{}) continue;
    const LocalWindows local =
        local_windows(window, op.operands[0].dimension(d), op.result_part().dimension(d), op.program.atoms().size(by));
    window.padding_low = local.low;
    window.padding_high = local.high;
    for (size_t i = 0; i < arrays; ++i) {
      const auto neutral = neutral_value(attributes->to_apply->reducer_kind(), op.results[i].element_type());
      // The op's padding, if any, has this value; the window itself then has no outside elements.
      const Expr fill = neutral ? op.program.constant(*neutral) : values[arrays + i];
      values[i] = fetched(op, i, values[i], d, by, local.request, fill);
    }
  }
  return unpack(own_opcode(op, values, attributes, result_of(op)));
}

namespace {

StatusOr<ComputationPtr> running_computation(const Instruction& instruction, ElementType type) {
  if (instruction.opcode == kExtCumlogsumexp) return logaddexp_computation(type);
  return scalar_binary_computation(*opcode_of(running_kind(instruction)), type);
}

Expr combined(const OpOnParts& op, const ComputationPtr& by, Expr x, Expr y) {
  if (op.instruction.opcode != kExtCumlogsumexp)
    return op.program.add(*opcode_of(running_kind(op.instruction)), {x, y});
  return op.program.add_with<MapAttributes>(Opcode::kMap, {x, y}, [&](auto& a) {
    for (int64_t d = 0; d < x.shape().rank(); ++d) a.dimensions.push_back(d);
    a.to_apply = by;
  });
}

}  // namespace

/// Computes cumulative reductions. Example: [1 2 | 3 4] -> local sums [1 3 | 3 7], totals 3 and 7, exclusive sums of
/// totals 0 and 3 -> [1 3 | 6 10].
Exprs cumulative_form(const OpOnParts& op) {
  const Cumulative along = *cumulative_of(op.instruction, op.computation);
  const Atoms& by = op.cut(0, along.dimension);
  const Shape part = op.result_part();
  const ElementType type = part.element_type();
  const StatusOr<ComputationPtr> reducer = running_computation(op.instruction, type);
  if (!reducer.ok()) op.program.fail(reducer.status());
  if (!op.program.status().ok()) return op.values;
  const Expr neutral = op.program.constant(*neutral_value(running_kind(op.instruction), type));
  Exprs values = op.values;
  AttributesPtr attributes = op.instruction.attributes;
  if (values.size() > 1) {
    values[1] = neutral;
    auto window = std::make_shared<ReduceWindowAttributes>(attributes_of<ReduceWindowAttributes>(op.instruction));
    const size_t place = along.dimension;
    window->window[place] = cumulative_window(along, part.dimensions())[place];
    attributes = window;
  }
  Expr run = own_opcode(op, values, attributes, part);
  const int64_t last = along.reverse ? 0 : part.dimension(along.dimension) - 1;
  const Expr totals = op.program.all_gather(slice(run, along.dimension, last, last + 1), along.dimension, by);
  if (!op.program.status().ok()) return op.values;
  const Shape shape = totals.shape();
  const Shape places = shape.with_element_type(ElementType::kS32);
  const Expr counted = iota(op.program, places, along.dimension);
  const Expr own = broadcast(op.program.part_index(by), places.dimensions(), {});
  const Expr before = along.reverse ? counted > own : counted < own;
  const Expr earlier = select(before, totals, broadcast(neutral, shape.dimensions(), {}));
  const Expr start = op.program.add_with<ReduceAttributes>(Opcode::kReduce, {earlier, neutral}, [&](auto& a) {
    a.dimensions = {along.dimension};
    a.to_apply = *reducer;
  });
  Int64List others;
  for (int64_t d = 0; d < part.rank(); ++d) {
    if (d != along.dimension) others.push_back(d);
  }
  run = combined(op, *reducer, broadcast(start, part.dimensions(), others), run);
  if (values.size() > 1) run = combined(op, *reducer, broadcast(op.values[1], part.dimensions(), {}), run);
  return {run};
}

/// Reverses shards and exchanges them. Example: [1 2 | 3 4] -> [2 1 | 4 3] -> [4 3 | 2 1].
Exprs reverse_form(const OpOnParts& op) {
  Expr value = own_opcode(op, op.values, op.instruction.attributes, op.result_part());
  for (const int64_t d : attributes_of<ReverseAttributes>(op.instruction).dimensions) {
    const Atoms& by = op.cut(0, d);
    if (by.empty()) continue;
    std::vector<int64_t> sources;
    for (int64_t k = op.program.atoms().size(by); k-- > 0;) sources.push_back(k);
    value = op.program.send(value, by, sources);
  }
  return {value};
}

Exprs slice_form(const OpOnParts& op) {
  auto attributes = std::make_shared<SliceAttributes>(attributes_of<SliceAttributes>(op.instruction));
  Expr value = op.values[0];
  const Shape part = op.result_part();
  for (size_t d = 0; d < attributes->ranges.size(); ++d) {
    const Atoms& by = op.cut(0, d);
    SliceRange& range = attributes->ranges[d];
    if (by.empty()) continue;
    const int64_t size = op.operands[0].dimension(d), part_size = part.dimension(d);
    if (range == SliceRange{0, size, 1}) {
      range.limit = part_size;
      continue;
    }
    WindowRequest request{0, {}, part_size == 0 ? 0 : (part_size - 1) * range.stride + 1, 0, size};
    for (int64_t k = 0; k < op.program.atoms().size(by); ++k)
      request.begins.push_back(range.start + k * part_size * range.stride);
    const CutArray array{value, size};
    value = fetch_windows(op.program, std::span(&array, 1), d, by, std::span(&request, 1))[0];
    range = {0, request.size, range.stride};
  }
  return {own_opcode(op, {value}, attributes, part)};
}

namespace {

/// Writes the call with operand layouts that are those of shards.
Exprs custom_call_form(const OpOnParts& op) {
  const auto options = custom_call_options(attributes_of<CustomCallAttributes>(op.instruction));
  if (!options.ok()) op.program.fail(options.status());
  if (!op.program.status().ok()) return op.values;
  const auto is_cut = [](const ArraySplit& split) {
    return std::ranges::any_of(split, [](const Atoms& atoms) { return !atoms.empty(); });
  };
  AttributesPtr attributes = op.instruction.attributes;
  if (std::ranges::any_of(op.chosen.splits.operands, is_cut)) {
    std::vector<Shape> parts;
    for (size_t i = 0; i < op.operands.size(); ++i) parts.push_back(op.operand_part(i));
    attributes = make_custom_call(*options, parts, op.results.size());
  }
  return unpack(own_opcode(op, op.values, attributes, result_of(op)));
}

/// Returns whether a dimension is sharded along which the op reads or writes only some elements: the sizes of its
/// result, or of operand 1, differ.
bool cuts_changed(const OpOnParts& op, size_t operand) {
  const Shape& some = operand == 0 ? op.results[0] : op.operands[operand];
  for (int64_t d = 0; d < op.operands[0].rank(); ++d) {
    if (op.is_cut(0, d) && some.dimension(d) != op.operands[0].dimension(d)) return true;
  }
  return false;
}

}  // namespace

std::optional<Exprs> write_own_form(const OpOnParts& op) {
  if (op.operands.empty() || !op.program.status().ok()) return std::nullopt;
  switch (op.instruction.opcode) {
    case Opcode::kConvolution: return convolution_form(op);
    case Opcode::kReduceWindow: return reduce_window_form(op);
    case Opcode::kReverse: return reverse_form(op);
    case Opcode::kSlice: return slice_form(op);
    case Opcode::kDynamicSlice: return cuts_changed(op, 0) ? std::optional(dynamic_slice_form(op)) : std::nullopt;
    case Opcode::kDynamicUpdateSlice:
      return cuts_changed(op, 1) ? std::optional(dynamic_update_slice_form(op)) : std::nullopt;
    case Opcode::kGather: return gather_form(op);
    case Opcode::kScatter: return scatter_form(op);
    case Opcode::kCustomCall: return custom_call_form(op);
    case Opcode::kTopK: return op.chosen.partial.empty() ? std::nullopt : std::optional(top_k_form(op));
    default: break;
  }
  const auto along = cumulative_of(op.instruction, op.computation);
  if (along && op.is_cut(0, along->dimension)) return cumulative_form(op);
  return std::nullopt;
}

}  // namespace hilo::hlo
