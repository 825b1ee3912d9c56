// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/convolution.h"

#include <fmt/format.h>

#include "hilo/base/stop.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/long_sums.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/product.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kFields[] = {
    field<&ConvolutionAttributes::window>("window", FieldShow::kUnlessDefault),
    field<&ConvolutionAttributes::dimensions>("dim_labels", FieldShow::kAlways),
    field<&ConvolutionAttributes::feature_group_count>("feature_group_count", FieldShow::kUnlessDefault),
    field<&ConvolutionAttributes::batch_group_count>("batch_group_count", FieldShow::kUnlessDefault),
    field<&ConvolutionAttributes::operand_precision>("operand_precision", FieldShow::kUnlessDefault),
};

/// Checks that the dimensions of one array by role are a permutation of its dimensions.
Status check_roles(std::string_view what, int64_t first, int64_t second, const Int64List& spatial, const Shape& shape) {
  if (std::ssize(spatial) + 2 != shape.rank()) {
    return invalid_argument(fmt::format("dim_labels: got {} spatial dimensions of the {}, wanted {} for {}",
                                        spatial.size(), what, std::max<int64_t>(shape.rank() - 2, 0),
                                        shape.to_string()));
  }
  Int64List all = {first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return check_unique_dimensions(fmt::format("dim_labels of the {}", what), all, shape);
}

Status check_divides(std::string_view count_name, int64_t count, std::string_view what, int64_t size) {
  if (size % count == 0) return ok_status();
  return invalid_argument(fmt::format("{} {} doesn't divide the {}, {}", count_name, count, what, size));
}

Status check_groups(const ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs) {
  const ConvolutionDimensions& d = a.dimensions;
  if (a.feature_group_count < 1) {  // convolution_c21
    return invalid_argument(fmt::format("feature_group_count: got {}, wanted at least 1", a.feature_group_count));
  }
  if (a.batch_group_count < 1) {  // convolution_c22
    return invalid_argument(fmt::format("batch_group_count: got {}, wanted at least 1", a.batch_group_count));
  }
  if (a.feature_group_count > 1 && a.batch_group_count > 1) {  // convolution_c23
    return invalid_argument(fmt::format("feature_group_count {} and batch_group_count {}: only one may exceed 1",
                                        a.feature_group_count, a.batch_group_count));
  }
  const int64_t batch = lhs.dimension(d.input_batch), features = lhs.dimension(d.input_feature),
                inputs = rhs.dimension(d.kernel_input), outputs = rhs.dimension(d.kernel_output);
  // convolution_c10, c11, c15, c16
  HILO_RETURN_IF_ERROR(check_divides("batch_group_count", a.batch_group_count, "input's batch", batch));
  HILO_RETURN_IF_ERROR(check_divides("feature_group_count", a.feature_group_count, "input's features", features));
  HILO_RETURN_IF_ERROR(check_divides("batch_group_count", a.batch_group_count, "kernel's output features", outputs));
  HILO_RETURN_IF_ERROR(
      check_divides("feature_group_count", a.feature_group_count, "kernel's output features", outputs));
  if (inputs != features / a.feature_group_count) {  // convolution_c14
    return invalid_argument(
        fmt::format("the kernel's input features: got {}, wanted {}, the input's {} over feature_group_count {}",
                    inputs, features / a.feature_group_count, features, a.feature_group_count));
  }
  return ok_status();
}

Status check_window_of_kernel(const Window& window, const Shape& rhs, const ConvolutionDimensions& d) {
  // convolution_c2..c9
  HILO_RETURN_IF_ERROR(check_window(window, d.kernel_spatial.size()));
  for (size_t k = 0; k < window.size(); ++k) {
    if (window[k].size == rhs.dimension(d.kernel_spatial[k])) continue;
    return invalid_argument(fmt::format("window: dim {}: size {} isn't that of the kernel's dimension {}, {}", k,
                                        window[k].size, d.kernel_spatial[k], rhs.dimension(d.kernel_spatial[k])));
  }
  return ok_status();
}

StatusOr<Shape> infer_convolution(const ShapeRuleInput& input) {
  const auto& a = attributes_of<ConvolutionAttributes>(input);
  const ConvolutionDimensions& d = a.dimensions;
  const Shape &lhs = input.operands[0], &rhs = input.operands[1];
  if (lhs.rank() != rhs.rank() || lhs.rank() < 2) {  // convolution_c1
    return invalid_argument(fmt::format("input and kernel must have equal ranks of at least 2; got {} and {}",
                                        lhs.to_string(), rhs.to_string()));
  }
  // convolution_c12, c13, c17..c20; the result has the input's rank
  HILO_RETURN_IF_ERROR(check_roles("input", d.input_batch, d.input_feature, d.input_spatial, lhs));
  HILO_RETURN_IF_ERROR(check_roles("kernel", d.kernel_input, d.kernel_output, d.kernel_spatial, rhs));
  HILO_RETURN_IF_ERROR(check_roles("output", d.output_batch, d.output_feature, d.output_spatial, lhs));
  HILO_RETURN_IF_ERROR(check_window_of_kernel(a.window, rhs, d));
  HILO_RETURN_IF_ERROR(check_groups(a, lhs, rhs));
  HILO_RETURN_IF_ERROR(check_precision(a.operand_precision));                             // convolution_c24
  HILO_ASSIGN_OR_RETURN(const ElementType type, product_type(lhs, rhs, input.declared));  // convolution_c27
  // convolution_c25, c26
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> counts,
                        window_counts(select_values(lhs.dimensions(), d.input_spatial), a.window));
  std::vector<int64_t> sizes(lhs.rank());
  sizes[d.output_batch] = lhs.dimension(d.input_batch) / a.batch_group_count;
  sizes[d.output_feature] = rhs.dimension(d.kernel_output);
  for (size_t k = 0; k < counts.size(); ++k) sizes[d.output_spatial[k]] = counts[k];
  return Shape::make_array(type, sizes);
}

/// One product in the sum of an output element, as offsets of the spatial parts.
struct Tap {
  int64_t lhs, rhs;
  bool on_padding = false;
};

/// Returns whether the tap reads an element or padding, instead of a gap between elements of a dilated input. Padding
/// is dilated like the input.
bool is_on_lattice(const WindowDimension& w, int64_t position, int64_t tap) {
  if (w.reversal) tap = w.size - 1 - tap;
  const __int128 at =
      static_cast<__int128>(position) * w.stride + static_cast<__int128>(tap) * w.window_dilation - w.padding_low;
  return at % w.base_dilation == 0;
}

/// Returns the taps of the window at `position` that read elements of the input or its padding, in the order of the
/// kernel. As in StableHLO, padding is multiplied as zeros: with an infinite weight it gives NaN.
std::vector<Tap> taps_at(std::span<const int64_t> position, const ConvolutionAttributes& a, const Shape& lhs,
                         const Shape& rhs) {
  const ConvolutionDimensions& d = a.dimensions;
  const std::vector<int64_t> lhs_strides = select_values(row_major_strides(lhs.dimensions()), d.input_spatial),
                             rhs_strides = select_values(row_major_strides(rhs.dimensions()), d.kernel_spatial);
  std::vector<Tap> taps = {{0, 0}};
  for (size_t k = 0; k < a.window.size(); ++k) {
    std::vector<Tap> longer;
    for (const Tap& tap : taps) {
      for (int64_t t = 0; t < a.window[k].size; ++t) {
        const std::optional<int64_t> source =
            window_source(a.window[k], lhs.dimension(d.input_spatial[k]), position[k], t);
        const int64_t rhs_at = tap.rhs + t * rhs_strides[k];
        if (source) longer.push_back({tap.lhs + *source * lhs_strides[k], rhs_at, tap.on_padding});
        else if (is_on_lattice(a.window[k], position[k], t)) longer.push_back({tap.lhs, rhs_at, true});
      }
    }
    taps = std::move(longer);
  }
  return taps;
}

/// Extents and strides of the non-spatial dimensions.
struct Channels {
  int64_t batch, inputs, outputs;  ///< of the result's batch, of one group's features, of all output features
  int64_t lhs_batch, lhs_feature, rhs_input, rhs_output, out_batch, out_feature;  ///< strides
  /// Offset in the input from one group's features, or batches, to the next; output features of a group.
  int64_t lhs_group, outputs_per_group;
};

Channels channels_of(const ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs, const Shape& out) {
  const ConvolutionDimensions& d = a.dimensions;
  const auto stride = [](const Shape& shape, int64_t dimension) {
    return row_major_strides(shape.dimensions())[dimension];
  };
  Channels c{out.dimension(d.output_batch),
             rhs.dimension(d.kernel_input),
             rhs.dimension(d.kernel_output),
             stride(lhs, d.input_batch),
             stride(lhs, d.input_feature),
             stride(rhs, d.kernel_input),
             stride(rhs, d.kernel_output),
             stride(out, d.output_batch),
             stride(out, d.output_feature),
             0,
             0};
  c.lhs_group = a.batch_group_count > 1 ? c.batch * c.lhs_batch : c.inputs * c.lhs_feature;
  c.outputs_per_group = c.outputs / std::max(a.feature_group_count, a.batch_group_count);
  return c;
}

/// Sums pairwise in the accumulator's type and rounds once.
template <typename A>
class WideSum {
 public:
  void take(A x, A y) { sum_.take(kernels::multiply<A>(x, y)); }
  A value() const { return sum_.value(A{}); }

 private:
  PairwiseFold<A> sum_{kernels::add<A>};
};

/// `lhs` and `rhs` are the elements in the type that Sum requires.
template <typename Sum, typename R, typename Elements>
void convolve(const EvaluateInput& input, const Elements& lhs, const Elements& rhs, const Channels& c,
              const Shape& shape, std::span<R> out) {
  using Element = typename Elements::value_type;
  const auto& a = attributes_of<ConvolutionAttributes>(input.instruction);
  const Shape &lhs_shape = input.operands[0]->shape(), &rhs_shape = input.operands[1]->shape();
  const std::vector<int64_t> sizes = select_values(shape.dimensions(), a.dimensions.output_spatial),
                             strides =
                                 select_values(row_major_strides(shape.dimensions()), a.dimensions.output_spatial);
  std::vector<int64_t> position(sizes.size(), 0);
  const StopFlag stop;
  do {
    const std::vector<Tap> taps = taps_at(position, a, lhs_shape, rhs_shape);
    const int64_t out_at = offset_of(position, strides);
    for (int64_t b = 0; b < c.batch; ++b) {
      for (int64_t o = 0; o < c.outputs && !stop.raised(); ++o) {
        const int64_t lhs_at = b * c.lhs_batch + o / c.outputs_per_group * c.lhs_group, rhs_at = o * c.rhs_output;
        Sum sum;
        for (const Tap& tap : taps) {
          for (int64_t i = 0; i < c.inputs; ++i)
            sum.take(tap.on_padding ? Element{} : lhs[lhs_at + tap.lhs + i * c.lhs_feature],
                     rhs[rhs_at + tap.rhs + i * c.rhs_input]);
        }
        out[out_at + b * c.out_batch + o * c.out_feature] = kernels::narrow<R>(sum.value());
      }
    }
  } while (!stop.raised() && next_index(sizes, position));
}

template <typename R>
Status convolution_kernel(const EvaluateInput& input, Literal& result) {
  using A = kernels::Accumulator<R>;
  const Literal &lhs = *input.operands[0], &rhs = *input.operands[1];
  const std::span<R> out = result.data<R>();
  if (out.empty()) return ok_status();
  const Channels c =
      channels_of(attributes_of<ConvolutionAttributes>(input.instruction), lhs.shape(), rhs.shape(), result.shape());
  if constexpr (std::is_same_v<R, float> || std::is_same_v<R, double>) {
    const bool same =
        lhs.shape().element_type() == element_type_of<R> && rhs.shape().element_type() == element_type_of<R>;
    if (same && rhs.shape().element_count() <= kernels::kMaxShortSum * c.outputs) {
      convolve<kernels::ShortSum<R>, R>(input, lhs.data<R>(), rhs.data<R>(), c, result.shape(), out);
      return ok_status();
    }
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<A> wide_lhs, kernels::widened<A>("convolution", lhs));
  HILO_ASSIGN_OR_RETURN(const std::vector<A> wide_rhs, kernels::widened<A>("convolution", rhs));
  convolve<WideSum<A>, R>(input, wide_lhs, wide_rhs, c, result.shape(), out);
  return ok_status();
}

StatusOr<Literal> evaluate_convolution(const EvaluateInput& input) {
  return evaluate_product(input, [&]<typename S>(Literal& sums) { return convolution_kernel<S>(input, sums); });
}

/// Adds the factors of one spatial dimension: the windows if there are more of them than elements in one, else the
/// elements of the window.
void add_spatial(const WindowDimension& window, int64_t in, int64_t kernel, int64_t out, RuleBuilder& builder) {
  const int64_t size = builder.operands[0].dimension(in), windows = builder.results[0].dimension(out);
  const bool alone = window == WindowDimension{};
  if (alone || windows >= window.size) {
    const int shared = builder.factor(size, alone ? FactorKind::kPass : FactorKind::kPermute);
    builder.operand(0, in, shared);
    builder.result(0, out, shared);
    return;
  }
  const int summed = builder.factor(window.size, FactorKind::kReduction);
  builder.operand(0, in, summed);
  builder.operand(1, kernel, summed);
}

void convolution_rule(RuleBuilder& builder) {
  const auto& convolution = attributes_of<ConvolutionAttributes>(builder.instruction);
  const ConvolutionDimensions& names = convolution.dimensions;
  const int64_t features = convolution.feature_group_count, batches = convolution.batch_group_count;
  if (features > 1 || batches > 1) {
    const int group = builder.factor(std::max(features, batches));
    builder.operand(0, features > 1 ? names.input_feature : names.input_batch, group);
    builder.operand(1, names.kernel_output, group);
    builder.result(0, names.output_feature, group);
  }
  const int64_t batch_size = builder.results[0].dimension(names.output_batch);
  if (batches == 1 || batch_size > 1) {
    const int batch = builder.factor(batch_size);
    builder.operand(0, names.input_batch, batch);
    builder.result(0, names.output_batch, batch);
  }
  const int64_t out_size = builder.operands[1].dimension(names.kernel_output) / std::max(features, batches);
  if (out_size > 1) {
    const int out = builder.factor(out_size);
    builder.operand(1, names.kernel_output, out);
    builder.result(0, names.output_feature, out);
  }
  const int64_t summed_size = builder.operands[1].dimension(names.kernel_input);
  if (features == 1 || summed_size > 1) {
    const int summed = builder.factor(summed_size, FactorKind::kReduction);
    builder.operand(0, names.input_feature, summed);
    builder.operand(1, names.kernel_input, summed);
  }
  for (size_t i = 0; i < names.input_spatial.size(); ++i)
    add_spatial(convolution.window[i], names.input_spatial[i], names.kernel_spatial[i], names.output_spatial[i],
                builder);
}

/// Returns a multiple of the allowed numbers of shards: with base dilation the windows of all shards must begin at the
/// same offset from an element.
int64_t alike_windows(const WindowDimension& window, int64_t windows) {
  const int64_t steps = windows * window.stride;
  return steps % window.base_dilation == 0 ? steps / window.base_dilation : 1;
}

/// With groups, shards of features would need other group counts, so features stay whole. Along spatial dimensions
/// devices fetch halo elements from their neighbors.
void convolution_on_parts(LocalBuilder& builder) {
  const auto& convolution = attributes_of<ConvolutionAttributes>(builder.instruction);
  const ConvolutionDimensions& names = convolution.dimensions;
  if (convolution.batch_group_count > 1) return;
  summing_factors(builder, builder.instruction.shape.element_type() != ElementType::kPred);
  // Padding beyond the ends needs a zero.
  const bool has_zero = builder.operand(0).element_type() != ElementType::kF8E8M0Fnu;
  const size_t batch = builder.factor(builder.op.rule.operands[0], names.input_batch);
  for (size_t f = 0; f < builder.op.strategies.size(); ++f) {
    if (convolution.feature_group_count > 1 && f != batch) builder.op.strategies[f] = LocalStrategy::kWhole;
  }
  for (size_t i = 0; i < names.input_spatial.size(); ++i) {
    const WindowDimension& window = convolution.window[i];
    if (window == WindowDimension{}) continue;
    const int64_t size = builder.operand(0).dimension(names.input_spatial[i]);
    const int64_t windows = builder.instruction.shape.dimension(names.output_spatial[i]);
    const size_t f = builder.factor(builder.op.rule.operands[0], names.input_spatial[i]);
    if (builder.op.rule.factors[f].kind == FactorKind::kPermute) {
      if (!has_zero) continue;
      builder.set(f, LocalStrategy::kOwn, std::gcd(std::gcd(size, windows), alike_windows(window, windows)));
    } else {
      const bool plain = has_zero && window.base_dilation == 1 && !window.reversal;
      builder.set(f, plain ? builder.op.strategies[f] : LocalStrategy::kWhole, std::gcd(size, window.size));
    }
  }
}

}  // namespace

Int64List input_dimensions(const ConvolutionDimensions& d) {
  Int64List permutation(d.output_spatial.size() + 2);
  permutation[d.output_batch] = d.input_batch;
  permutation[d.output_feature] = d.input_feature;
  for (size_t i = 0; i < d.output_spatial.size(); ++i) permutation[d.output_spatial[i]] = d.input_spatial[i];
  return permutation;
}

HILO_DEFINE_OP(convolution_op, {.opcode = Opcode::kConvolution,
                                .name = "convolution",
                                .arity = 2,
                                .operand_types = kAnyArray,
                                .cost = CostClass::kHero,
                                .sharding = {convolution_rule, convolution_on_parts},
                                .infer_shape = infer_convolution,
                                .attributes = attributes_def<ConvolutionAttributes>(kFields),
                                .evaluate = evaluate_convolution,
                                .spec = "convolution"})

}  // namespace hilo::hlo
