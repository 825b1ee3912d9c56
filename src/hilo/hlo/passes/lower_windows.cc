// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>

#include "hilo/hlo/build/lifted_body.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/hlo/passes/windows/small_convolution.h"
#include "hilo/hlo/passes/windows/window_slices.h"
#include "hilo/hlo/rewrite/rewrite_sink.h"

namespace hilo::hlo {
namespace {

/// One reduce-window, with operands in the new computation.
struct Reduction {
  const ReduceWindowAttributes& attributes;
  Exprs arrays, initials;
  std::vector<int64_t> counts;  ///< number of windows in each dimension
  ReducerKind kind;             ///< of one array; generic for several arrays

  const Window& window() const { return attributes.window; }
};

bool is_half(ElementType type) { return type == ElementType::kF16 || type == ElementType::kBf16; }

bool is_idempotent(ReducerKind kind) {
  return kind == ReducerKind::kMaximum || kind == ReducerKind::kMinimum || kind == ReducerKind::kAnd ||
         kind == ReducerKind::kOr;
}

/// Returns whether the window covers every dimension in which it isn't trivial: then it is a plain reduction.
bool is_plain_reduction(const Window& window, std::span<const int64_t> sizes) {
  for (size_t d = 0; d < window.size(); ++d) {
    if (is_trivial(window[d])) continue;
    const WindowDimension whole{.size = sizes[d], .stride = window[d].stride};
    if (window[d] != whole) return false;
  }
  return true;
}

/// Slices the array once for each element of the window and folds the slices from the left. Padding has the neutral
/// value; for a reducer without one a mask selects the real elements.
Exprs by_elements(Sink& sink, const Reduction& r) {
  const Computation& body = *r.attributes.to_apply;
  const ElementType type = r.arrays[0].type();
  // f16 and bf16 are summed in f32 and rounded once
  const bool widen = is_half(type) && (r.kind == ReducerKind::kAdd || r.kind == ReducerKind::kMultiply);
  const auto inner = [&](Expr x) { return widen ? convert(x, ElementType::kF32) : x; };
  const std::optional<Literal> neutral = neutral_value(r.kind, type);
  std::optional<Expr> mask;
  Exprs sources = r.arrays, sums;
  if (pads(r.window())) {
    for (Expr& x : sources)
      x = padded(x, r.window(), sink.constant(neutral ? *neutral : Literal(Shape::scalar(x.type()))));
    if (!neutral)
      mask = padded(full(sink, r.arrays[0].shape(), Literal::scalar(true)), r.window(),
                    sink.constant(Literal::scalar(false)));
  }
  for (Expr initial : r.initials) sums.push_back(broadcast(inner(initial), r.counts, {}));
  std::vector<int64_t> sizes, offset(r.window().size(), 0);
  for (const WindowDimension& w : r.window()) sizes.push_back(w.size);
  do {
    Exprs arguments = sums;
    for (Expr x : sources) arguments.push_back(inner(element_at(x, r.window(), r.counts, offset)));
    Exprs folded = widen ? Exprs{sink.add(body.root().opcode, arguments)} : lifted(sink, body, r.counts, arguments);
    if (mask) {
      const Expr valid = element_at(*mask, r.window(), r.counts, offset);
      for (size_t i = 0; i < sums.size(); ++i) folded[i] = select(valid, folded[i], sums[i]);
    }
    sums = std::move(folded);
  } while (next_index(sizes, offset));
  if (widen) sums[0] = convert(sums[0], type);
  return sums;
}

/// Adds an op whose operands are all arrays, then all initial values. Returns its results, one per array.
template <typename T>
Exprs reduced(Sink& sink, Opcode opcode, const Reduction& r, std::shared_ptr<T> attributes) {
  Exprs operands = r.arrays;
  operands.insert(operands.end(), r.initials.begin(), r.initials.end());
  const Expr all = sink.add(opcode, operands, std::move(attributes));
  if (r.arrays.size() == 1) return {all};
  Exprs results;
  for (size_t i = 0; i < r.arrays.size(); ++i) results.push_back(element(all, i));
  return results;
}

Exprs as_reduction(Sink& sink, const Reduction& r) {
  auto attributes = std::make_shared<ReduceAttributes>();
  attributes->to_apply = r.attributes.to_apply;
  for (size_t d = 0; d < r.window().size(); ++d) {
    if (!is_trivial(r.window()[d])) attributes->dimensions.push_back(d);
  }
  Exprs results = reduced(sink, Opcode::kReduce, r, std::move(attributes));
  for (Expr& result : results) result = reshape(result, r.counts);
  return results;
}

Exprs lower(Sink& sink, const Reduction& r);

/// Reduces one dimension after the other, which costs the sum of the window's sizes instead of their product. This is
/// exact for maxima and minima.
Exprs by_dimensions(Sink& sink, const Reduction& r) {
  Expr x = r.arrays[0];
  for (size_t d = 0; d < r.window().size(); ++d) {
    if (is_trivial(r.window()[d])) continue;
    ReduceWindowAttributes one;
    one.window.resize(r.window().size());
    one.window[d] = r.window()[d];
    one.to_apply = r.attributes.to_apply;
    const Shape shape = x.shape();
    std::vector<int64_t> counts(shape.dimensions().begin(), shape.dimensions().end());
    counts[d] = r.counts[d];
    x = lower(sink, Reduction{one, {x}, r.initials, counts, r.kind})[0];
  }
  return {x};
}

Exprs lower(Sink& sink, const Reduction& r) {
  const Shape shape = r.arrays[0].shape();
  const std::span<const int64_t> sizes = shape.dimensions();
  const int64_t volume = volume_of(r.window());
  if (volume > 1 && is_plain_reduction(r.window(), sizes)) return as_reduction(sink, r);
  const bool far = pads(r.window()) && !pads_little(r.window(), sizes, r.counts);
  if (volume <= kMaxElements && !far && can_be_lifted(*r.attributes.to_apply)) return by_elements(sink, r);
  const auto wide = std::ranges::count_if(r.window(), [](const WindowDimension& w) { return !is_trivial(w); });
  if (r.arrays.size() == 1 && is_idempotent(r.kind) && wide > 1) return by_dimensions(sink, r);
  // The engine runs the op itself.
  return reduced(sink, Opcode::kReduceWindow, r, std::make_shared<ReduceWindowAttributes>(r.attributes));
}

// ---- select-and-scatter

/// Returns whether the engine has a function for the op.
bool is_plain_choice(const SelectAndScatterAttributes& a, ElementType type) {
  const bool whole = element_type_info(type).bits >= (is_floating(type) ? 16 : 8);
  return plain_order(*a.select) && a.scatter->reducer_kind() == ReducerKind::kAdd && whole && !is_complex(type);
}

bool can_be_chosen(const Computation& c, const Instruction& i) {
  if (i.opcode != Opcode::kSelectAndScatter) return false;
  const auto& a = attributes_of<SelectAndScatterAttributes>(i);
  const Shape &array = c.instruction(i.operands[0]).shape, &source = c.instruction(i.operands[1]).shape;
  if (array.element_count() == 0 || source.element_count() == 0 || is_complex(array.element_type())) return false;
  const bool far = pads(a.window) && !pads_little(a.window, array.dimensions(), source.dimensions());
  return !is_plain_choice(a, array.element_type()) && !far && volume_of(a.window) <= kMaxElements &&
         can_be_lifted(*a.select);
}

/// Returns for each window the number of its selected element, or a negative one if the window contains only padding.
/// `number_at` returns the number of the element at an offset of every window, negative in padding. All windows are
/// compared at once, offset after offset.
template <typename NumberAt>
Expr chosen(Sink& sink, const SelectAndScatterAttributes& a, Expr values, std::span<const int64_t> counts,
            const NumberAt& number_at) {
  const bool padded_any = pads(a.window);
  if (padded_any) values = padded(values, a.window, sink.constant(Literal(Shape::scalar(values.type()))));
  std::vector<int64_t> sizes, offset(a.window.size(), 0);
  for (const WindowDimension& w : a.window) sizes.push_back(w.size);
  Expr value = element_at(values, a.window, counts, offset), number = number_at(offset, 0);
  for (int32_t k = 1; next_index(sizes, offset); ++k) {
    const Expr next = element_at(values, a.window, counts, offset), next_number = number_at(offset, k);
    Expr stays = lifted(sink, *a.select, counts, {value, next})[0];
    if (padded_any) stays = bitwise_or(bitwise_and(stays, number >= 0), next_number < 0);
    value = select(stays, value, next);
    number = select(stays, number, next_number);
  }
  return number;
}

/// Returns for each window the index of the selected element, or -1.
Expr chosen_numbers(Sink& sink, const SelectAndScatterAttributes& a, Expr array, const Shape& source) {
  const Shape shape = array.shape();
  const ElementType type = shape.element_count() > INT32_MAX ? ElementType::kS64 : ElementType::kS32;
  Expr numbers = reshape(iota(sink, Shape::array(type, {shape.element_count()}), 0), shape.dimensions());
  if (pads(a.window)) numbers = padded(numbers, a.window, full(sink, Shape::scalar(type), -1));
  return chosen(sink, a, array, source.dimensions(), [&](std::span<const int64_t> offset, int32_t) {
    return element_at(numbers, a.window, source.dimensions(), offset);
  });
}

/// Scatters the source to the selected elements; updates at -1 are dropped.
Expr scattered(Sink& sink, const SelectAndScatterAttributes& a, const Exprs& operands) {
  const Shape array = operands[0].shape(), source = operands[1].shape();
  const int64_t count = source.element_count();
  const Expr numbers = chosen_numbers(sink, a, operands[0], source);
  const Expr initial = broadcast(operands[2], std::vector<int64_t>{array.element_count()}, {});
  const Exprs parts = {initial, reshape(numbers, std::vector<int64_t>{count, 1}),
                       reshape(operands[1], std::vector<int64_t>{count})};
  const Expr result = sink.add_with<ScatterAttributes>(Opcode::kScatter, parts, [&](auto& s) {
    s.inserted_window_dims = {0};
    s.scatter_dims_to_operand_dims = {0};
    s.index_vector_dim = 1;
    s.to_apply = a.scatter;
  });
  return reshape(result, array.dimensions());
}

/// Returns whether fused regions can compute the op. Complex numbers and empty results are excluded.
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

/// Returns for each window the number of the offset at which its selected element is, or -1.
Expr chosen_offsets(Sink& sink, const SelectAndScatterAttributes& a, Expr array, const Shape& source) {
  const auto all = [&](int32_t number) {
    return full(sink, Shape::array(ElementType::kS32, source.dimensions()), Literal::scalar(number));
  };
  std::optional<Expr> inside;
  if (pads(a.window))
    inside = padded(full(sink, array.shape(), Literal::scalar(true)), a.window, sink.constant(Literal::scalar(false)));
  return chosen(sink, a, array, source.dimensions(), [&](std::span<const int64_t> offset, int32_t k) {
    return inside ? select(element_at(*inside, a.window, source.dimensions(), offset), all(k), all(-1)) : all(k);
  });
}

/// Adds the source at the selected elements. Each offset's part of the source is spread over the array. Windows that
/// overlap are added in their order, which is the reverse of their offsets'.
/// Example   gradient of a maximum over 3 x 3 with strides 2: the sum of nine padded arrays, at most four per element
Expr spread(Sink& sink, const SelectAndScatterAttributes& a, const Exprs& operands) {
  const Shape array = operands[0].shape(), source = operands[1].shape();
  const ElementType type = array.element_type();
  const auto inner = [&](Expr x) { return is_half(type) ? convert(x, ElementType::kF32) : x; };
  const Expr numbers = chosen_offsets(sink, a, operands[0], source);
  const Expr values = inner(operands[1]), zero = sink.constant(Literal(Shape::scalar(values.type())));
  const Expr none = broadcast(zero, source.dimensions(), {});
  std::vector<int64_t> sizes, offset(a.window.size(), 0);
  for (const WindowDimension& w : a.window) sizes.push_back(w.size);
  Exprs parts;
  do {
    const Expr here = select(numbers == static_cast<double>(parts.size()), values, none);
    parts.push_back(here.sink->add_with<PadAttributes>(Opcode::kPad, {here, zero}, [&](auto& p) {
      for (size_t d = 0; d < offset.size(); ++d) {
        const WindowDimension& w = a.window[d];
        const int64_t low = offset[d] * w.window_dilation - w.padding_low;
        const int64_t end = low + (source.dimension(d) - 1) * w.stride + 1;
        p.padding.push_back({low, array.dimension(d) - end, w.stride - 1});
      }
    }));
  } while (next_index(sizes, offset));
  Expr sum = broadcast(inner(operands[2]), array.dimensions(), {});
  for (const Expr part : parts | std::views::reverse) sum = sum + part;
  return is_half(type) ? convert(sum, type) : sum;
}

/// Returns whether regions can compute the op: small windows, and parts that aren't spread far.
bool can_be_spread(const Computation& c, const Instruction& i) {
  constexpr int64_t kMaxParts = 16;
  if (i.opcode != Opcode::kSelectAndScatter) return false;
  const auto& a = attributes_of<SelectAndScatterAttributes>(i);
  const Shape &array = c.instruction(i.operands[0]).shape, &source = c.instruction(i.operands[1]).shape;
  if (array.element_count() == 0 || source.element_count() == 0) return false;
  int64_t phases = 1;
  for (const WindowDimension& w : a.window) {
    phases *= std::min(w.stride, kMaxParts + 1);
    if (w.base_dilation != 1 || phases > kMaxParts) return false;
  }
  const bool far = pads(a.window) && !pads_little(a.window, array.dimensions(), source.dimensions());
  return is_plain_choice(a, array.element_type()) && !far && volume_of(a.window) <= kMaxParts &&
         can_be_lifted(*a.select);
}

// ---- convolutions

/// The convolutions that are decomposed.
enum class Convolutions { kNone, kSums, kFusedSums };

bool has_windows(const Computation& c, Convolutions convolutions) {
  return has_opcode(c, Opcode::kReduceWindow) || has_opcode(c, Opcode::kSelectAndScatter) ||
         (convolutions != Convolutions::kNone && has_opcode(c, Opcode::kConvolution));
}

/// Returns the convolution. f16 and bf16 are converted to f32 by regions, and rounded once.
Expr convolution(const ConvolutionAttributes& a, const Shape& result, Expr input, Expr kernel, bool fused) {
  const auto widened = [](Expr x) { return is_half(x.type()) ? convert(x, ElementType::kF32) : x; };
  input = widened(input);
  kernel = widened(kernel);
  const Shape sums = is_half(result.element_type()) ? result.with_element_type(ElementType::kF32) : result;
  const auto computed = [&] {
    switch (small_convolution(a, input.shape(), kernel.shape(), sums)) {
      case SmallConvolution::kSlices: return sum_of_slices(a, sums, input, kernel, fused);
      case SmallConvolution::kGradient: return sums_at_positions(a, sums, input, kernel);
      case SmallConvolution::kNone: break;
    }
    return input.sink->add(Opcode::kConvolution, {input, kernel}, std::make_shared<ConvolutionAttributes>(a), sums);
  };
  return convert(computed(), result.element_type());
}

StatusOr<ComputationPtr> lower_windows_in(const ComputationPtr& source, Convolutions convolutions) {
  if (!has_windows(*source, convolutions)) return source;
  RewriteBuilder b(source, {.share = false, .rule = forward_tuples});
  RewriteSink sink(b);
  for (const Instruction& i : source->instructions()) {
    if (convolutions != Convolutions::kNone && i.opcode == Opcode::kConvolution) {
      b.at(i);
      const Exprs operands = sink.at_all(b.mapped(i.operands));
      b.replace(i.id, convolution(attributes_of<ConvolutionAttributes>(i), i.shape, operands[0], operands[1],
                                  convolutions == Convolutions::kFusedSums)
                          .id);
      continue;
    }
    const bool is_spread = can_be_spread(*source, i);
    if (is_spread || can_be_chosen(*source, i)) {
      b.at(i);
      const auto& attributes = attributes_of<SelectAndScatterAttributes>(i);
      const Exprs operands = sink.at_all(b.mapped(i.operands));
      const Expr result = is_spread ? spread(sink, attributes, operands) : scattered(sink, attributes, operands);
      b.replace(i.id, result.id);
      continue;
    }
    if (!can_be_lowered(*source, i)) {
      b.copy(i);
      continue;
    }
    b.at(i);
    const auto& attributes = attributes_of<ReduceWindowAttributes>(i);
    const size_t n = i.operands.size() / 2;
    const Shape& result = i.shape.is_tuple() ? i.shape.tuple_element(0) : i.shape;
    const Reduction r{attributes,
                      sink.at_all(b.mapped(i.operands.first(n))),
                      sink.at_all(b.mapped(i.operands.subspan(n))),
                      {result.dimensions().begin(), result.dimensions().end()},
                      n == 1 ? attributes.to_apply->reducer_kind() : ReducerKind::kGeneric};
    const Exprs results = lower(sink, r);
    b.replace(i.id, (i.shape.is_tuple() ? tuple(sink, results) : results[0]).id);
  }
  return b.finish();
}

}  // namespace

StatusOr<bool> lower_windows(Module& module) {
  return rewrite_computations(module, [](const ComputationPtr& c) { return lower_windows_in(c, Convolutions::kNone); });
}

StatusOr<bool> lower_windows(Module& module, std::span<const Opcode> native) {
  const bool fused = std::ranges::count(native, kExtFma) != 0;
  return rewrite_computations(module, [fused](const ComputationPtr& c) {
    return lower_windows_in(c, fused ? Convolutions::kFusedSums : Convolutions::kSums);
  });
}

}  // namespace hilo::hlo
