// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kMostElements = 32;  // of a window that is written out element by element

using Ids = std::vector<InstructionId>;

/// One reduce-window, as the new computation has it.
struct Reduction {
  const ReduceWindowAttributes& attributes;
  Ids arrays, initials;
  std::vector<int64_t> counts;  ///< windows in each dimension
  ReducerKind kind;             ///< of one array; generic for several

  const Window& window() const { return attributes.window; }
};

Shape result_shape(const RewriteBuilder& b, const Reduction& r, size_t i) {
  return Shape::array(b.shape(r.arrays[i]).element_type(), r.counts);
}

bool is_half(ElementType type) { return type == ElementType::kF16 || type == ElementType::kBf16; }

bool is_idempotent(ReducerKind kind) {
  return kind == ReducerKind::kMaximum || kind == ReducerKind::kMinimum || kind == ReducerKind::kAnd ||
         kind == ReducerKind::kOr;
}

int64_t volume_of(const Window& window) {
  int64_t volume = 1;
  for (const WindowDimension& w : window)
    volume = std::min(volume * std::min(w.size, kMostElements + 1), int64_t{1} << 20);
  return volume;
}

/// The window is the whole of every dimension that it isn't trivial in: a plain reduction.
bool is_plain_reduction(const Window& window, std::span<const int64_t> sizes) {
  for (size_t d = 0; d < window.size(); ++d) {
    if (is_trivial(window[d])) continue;
    const WindowDimension whole{.size = sizes[d], .stride = window[d].stride};
    if (window[d] != whole) return false;
  }
  return true;
}

/// Elementwise ops and constants over scalars: it can be written out over arrays.
bool can_be_lifted(const Computation& body) {
  return std::ranges::all_of(body.instructions(), [&](const Instruction& i) {
    if (i.opcode == Opcode::kTuple) return i.id == body.root_id();
    return i.shape.is_scalar() &&
           (i.opcode == Opcode::kParameter || i.opcode == Opcode::kConstant || is_elementwise(i.opcode));
  });
}

/// The body on whole arrays: accumulators, then elements.
Ids lifted(RewriteBuilder& b, const Computation& body, std::span<const int64_t> sizes, const Ids& arguments) {
  Ids ids;
  for (const Instruction& i : body.instructions()) {
    if (i.opcode == Opcode::kTuple) {
      Ids results;
      for (InstructionId operand : i.operands) results.push_back(ids[operand]);
      return results;
    }
    const Shape shape = Shape::array(i.shape.is_array() ? i.shape.element_type() : ElementType::kPred, sizes);
    Ids operands;
    for (InstructionId operand : i.operands) operands.push_back(ids[operand]);
    if (i.opcode == Opcode::kParameter) ids.push_back(arguments[static_cast<size_t>(parameter_number(i))]);
    else if (i.opcode == Opcode::kConstant) ids.push_back(b.splat(shape, attributes_of<ConstantAttributes>(i).value));
    else ids.push_back(b.add(i.opcode, operands, i.attributes, shape));
  }
  return {ids[body.root_id()]};
}

InstructionId broadcast(RewriteBuilder& b, InstructionId scalar, std::span<const int64_t> sizes) {
  return b.add(Opcode::kBroadcast, {scalar}, std::make_shared<BroadcastAttributes>(),
               Shape::array(b.shape(scalar).element_type(), sizes));
}

InstructionId convert(RewriteBuilder& b, InstructionId x, ElementType type) {
  if (b.shape(x).element_type() == type) return x;
  return b.add(Opcode::kConvert, {x}, nullptr, b.shape(x).with_element_type(type));
}

/// The array with what the window pads and dilates filled with `value`, a scalar.
InstructionId padded(RewriteBuilder& b, InstructionId x, const Window& window, InstructionId value) {
  auto attributes = std::make_shared<PadAttributes>();
  for (const WindowDimension& w : window)
    attributes->padding.push_back({w.padding_low, w.padding_high, w.base_dilation - 1});
  return b.add(Opcode::kPad, {x, value}, std::move(attributes));
}

/// Element `offset` of every window.
InstructionId element(RewriteBuilder& b, InstructionId x, const Reduction& r, std::span<const int64_t> offset) {
  auto attributes = std::make_shared<SliceAttributes>();
  for (size_t d = 0; d < offset.size(); ++d) {
    const WindowDimension& w = r.window()[d];
    const int64_t start = offset[d] * w.window_dilation;
    attributes->ranges.push_back({start, start + (r.counts[d] - 1) * w.stride + 1, w.stride});
  }
  return b.add(Opcode::kSlice, {x}, std::move(attributes));
}

/// Is the padded array at most a few times as large as what is read of it? Else the window goes as it is: strides and
/// dilations of 2^40 are no reason for such arrays, and pads don't count as far as windows.
bool pads_little(const Window& window, std::span<const int64_t> sizes, std::span<const int64_t> counts) {
  constexpr double kMostPadding = 16;
  constexpr int64_t kFar = int64_t{1} << 40;
  double padded = 1, array = 1, read = 1;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    if (std::max({w.padding_low, w.padding_high, w.base_dilation}) > kFar) return false;
    if (std::min(w.padding_low, w.padding_high) < -kFar) return false;
    const double extent = static_cast<double>(sizes[d] - 1) * static_cast<double>(w.base_dilation) + 1;
    padded *= std::max(0.0, extent + static_cast<double>(w.padding_low + w.padding_high));
    array *= static_cast<double>(sizes[d]);
    read *= static_cast<double>(counts[d]) * static_cast<double>(w.size);
  }
  return padded <= kMostPadding * (array + read);
}

bool pads(const Window& window) {
  return std::ranges::any_of(window, [](const WindowDimension& w) {
    return w.padding_low != 0 || w.padding_high != 0 || w.base_dilation != 1;
  });
}

/// Slices of the array, one for each element of the window, folded from the left. What is padding is neutral; a reducer
/// without a neutral value looks at a mask.
Ids by_elements(RewriteBuilder& b, const Reduction& r) {
  const Computation& body = *r.attributes.to_apply;
  const ElementType type = b.shape(r.arrays[0]).element_type();
  // f16 and bf16 are summed in f32 and rounded once.
  const bool widen = is_half(type) && (r.kind == ReducerKind::kAdd || r.kind == ReducerKind::kMultiply);
  const ElementType inner = widen ? ElementType::kF32 : type;
  const std::optional<Literal> neutral = neutral_value(r.kind, type);
  InstructionId mask = kNoInstruction;
  Ids sources = r.arrays, sums;
  if (pads(r.window())) {
    for (InstructionId& x : sources) {
      const Shape scalar = Shape::scalar(b.shape(x).element_type());
      x = padded(b, x, r.window(), b.constant(neutral ? *neutral : Literal(scalar)));
    }
    if (!neutral) {
      const Shape all = b.shape(r.arrays[0]).with_element_type(ElementType::kPred);
      mask = padded(b, b.splat(all, Literal::scalar(true)), r.window(), b.constant(Literal::scalar(false)));
    }
  }
  for (InstructionId initial : r.initials)
    sums.push_back(broadcast(b, widen ? convert(b, initial, inner) : initial, r.counts));
  std::vector<int64_t> sizes, offset(r.window().size(), 0);
  for (const WindowDimension& w : r.window()) sizes.push_back(w.size);
  do {
    Ids arguments = sums;
    for (InstructionId x : sources) {
      const InstructionId e = element(b, x, r, offset);
      arguments.push_back(widen ? convert(b, e, inner) : e);
    }
    Ids folded = widen ? Ids{b.add(body.root().opcode, arguments)} : lifted(b, body, r.counts, arguments);
    if (mask != kNoInstruction) {
      const InstructionId valid = element(b, mask, r, offset);
      for (size_t i = 0; i < sums.size(); ++i) folded[i] = b.add(Opcode::kSelect, {valid, folded[i], sums[i]});
    }
    sums = std::move(folded);
  } while (next_index(sizes, offset));
  if (widen) sums[0] = convert(b, sums[0], type);
  return sums;
}

Ids as_reduction(RewriteBuilder& b, const Reduction& r) {
  auto attributes = std::make_shared<ReduceAttributes>();
  attributes->to_apply = r.attributes.to_apply;
  for (size_t d = 0; d < r.window().size(); ++d) {
    if (!is_trivial(r.window()[d])) attributes->dimensions.push_back(static_cast<int64_t>(d));
  }
  Ids operands = r.arrays;
  operands.insert(operands.end(), r.initials.begin(), r.initials.end());
  const InstructionId reduced = b.add(Opcode::kReduce, operands, std::move(attributes));
  Ids results;
  for (size_t i = 0; i < r.arrays.size(); ++i) {
    const InstructionId one = r.arrays.size() == 1 ? reduced : b.get_tuple_element(reduced, static_cast<int64_t>(i));
    results.push_back(b.add(Opcode::kReshape, {one}, nullptr, result_shape(b, r, i)));
  }
  return results;
}

Ids lower(RewriteBuilder& b, const Reduction& r);

/// Extremes of a box are extremes of extremes: one dimension after the other, which costs the sum of the window's sizes
/// and not their product.
Ids by_dimensions(RewriteBuilder& b, const Reduction& r) {
  InstructionId x = r.arrays[0];
  for (size_t d = 0; d < r.window().size(); ++d) {
    if (is_trivial(r.window()[d])) continue;
    ReduceWindowAttributes one;
    one.window.resize(r.window().size());
    one.window[d] = r.window()[d];
    one.to_apply = r.attributes.to_apply;
    const Shape& shape = b.shape(x);
    std::vector<int64_t> counts(shape.dimensions().begin(), shape.dimensions().end());
    counts[d] = r.counts[d];
    x = lower(b, Reduction{one, {x}, r.initials, counts, r.kind})[0];
  }
  return {x};
}

/// The op itself: the engine runs it.
Ids as_it_is(RewriteBuilder& b, const Reduction& r) {
  Ids operands = r.arrays;
  operands.insert(operands.end(), r.initials.begin(), r.initials.end());
  const InstructionId id =
      b.add(Opcode::kReduceWindow, operands, std::make_shared<ReduceWindowAttributes>(r.attributes));
  if (r.arrays.size() == 1) return {id};
  Ids results;
  for (size_t i = 0; i < r.arrays.size(); ++i) results.push_back(b.get_tuple_element(id, static_cast<int64_t>(i)));
  return results;
}

Ids lower(RewriteBuilder& b, const Reduction& r) {
  const Shape shape = b.shape(r.arrays[0]);
  const std::span<const int64_t> sizes = shape.dimensions();
  const int64_t volume = volume_of(r.window());
  if (volume > 1 && is_plain_reduction(r.window(), sizes)) return as_reduction(b, r);
  const bool far = pads(r.window()) && !pads_little(r.window(), sizes, r.counts);
  if (volume <= kMostElements && !far && can_be_lifted(*r.attributes.to_apply)) return by_elements(b, r);
  const auto wide = std::ranges::count_if(r.window(), [](const WindowDimension& w) { return !is_trivial(w); });
  if (r.arrays.size() == 1 && is_idempotent(r.kind) && wide > 1) return by_dimensions(b, r);
  return as_it_is(b, r);
}

/// What regions compute; complex numbers and empty results stay as they are.
bool can_be_lowered(const Computation& c, const Instruction& i) {
  if (i.opcode != Opcode::kReduceWindow) return false;
  const Shape& array = c.instruction(i.operands[0]).shape;
  const Shape& result = i.shape.is_tuple() ? i.shape.tuple_element(0) : i.shape;
  if (result.element_count() == 0 || array.element_count() == 0) return false;
  for (InstructionId operand : i.operands) {
    if (is_complex(c.instruction(operand).shape.element_type())) return false;
  }
  return !cumulative_of(attributes_of<ReduceWindowAttributes>(i).window, array.dimensions());
}

StatusOr<ComputationPtr> lower_in(const ComputationPtr& source) {
  if (!has_opcode(*source, Opcode::kReduceWindow)) return source;
  RewriteBuilder b(source, {.share = false, .rule = forward_tuples});
  for (const Instruction& i : source->instructions()) {
    if (!can_be_lowered(*source, i)) {
      b.copy(i);
      continue;
    }
    b.at(i);
    const auto& attributes = attributes_of<ReduceWindowAttributes>(i);
    const size_t n = i.operands.size() / 2;
    const Shape& result = i.shape.is_tuple() ? i.shape.tuple_element(0) : i.shape;
    const Reduction r{attributes,
                      b.mapped(i.operands.first(n)),
                      b.mapped(i.operands.subspan(n)),
                      {result.dimensions().begin(), result.dimensions().end()},
                      n == 1 ? attributes.to_apply->reducer_kind() : ReducerKind::kGeneric};
    const Ids results = lower(b, r);
    b.replace(i.id, i.shape.is_tuple() ? b.tuple(results) : results[0]);
  }
  return b.finish();
}

}  // namespace

StatusOr<bool> lower_windows(Module& module) { return rewrite_computations(module, lower_in); }

}  // namespace hilo::hlo
