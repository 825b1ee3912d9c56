// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/convolution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/hlo/ops/convolution.h"
#include "hilo/lax/dot.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace {

using Int64List = std::vector<int64_t>;

constexpr char kName[] = "conv_general_dilated";

/// Converts a label such as "NHWC" to dimension numbers. Spatial dimensions are in the order of `order`.
Int64List spec_of(const std::string& labels, const char* roles, const std::string& order, int64_t rank) {
  if (std::ssize(labels) != rank) {
    refuse(kName, fmt::format("dimension_numbers: '{}' has {} letters, wanted {}", labels, labels.size(), rank));
  }
  Int64List spec;
  for (const char role : {roles[0], roles[1]}) {
    if (std::ranges::count(labels, role) != 1) {
      refuse(kName, fmt::format("dimension_numbers: '{}' must have {} once", labels, role));
    }
    spec.push_back(labels.find(role));
  }
  for (const char c : order) {
    if (c == 'O' || c == 'I') continue;
    if (std::ranges::count(labels, c) != 1 || c == roles[0] || c == roles[1]) {
      refuse(kName,
             fmt::format("dimension_numbers: the kernel's '{}' and '{}' must have the same spatial letters, each once",
                         order, labels));
    }
    spec.push_back(labels.find(c));
  }
  return spec;
}

Int64List select(std::span<const int64_t> sizes, std::span<const int64_t> spec) {
  Int64List selected;
  for (int64_t d : spec) {
    if (d < 0 || d >= std::ssize(sizes)) {
      refuse(kName, fmt::format("dimension_numbers: dimension {} of an array of rank {}", d, sizes.size()));
    }
    selected.push_back(sizes[d]);
  }
  return selected;
}

Int64List value_or_ones(const OptionalDimensions& sizes, size_t rank) {
  return sizes && !sizes->empty() ? Int64List(*sizes) : Int64List(rank, 1);
}

Int64List spatial(const Int64List& spec) {
  return {spec.begin() + std::min<ptrdiff_t>(2, std::ssize(spec)), spec.end()};
}

/// Returns the extent of `size` elements at distance `dilation`.
int64_t dilate(int64_t size, int64_t dilation) { return size == 0 ? 0 : (size - 1) * dilation + 1; }

void check_length(const char* what, size_t got, size_t expected) {
  if (got != expected)
    refuse(kName, fmt::format("{}: got {} values, wanted {}, one per spatial dimension", what, got, expected));
}

/// Checks that all values are at least 1, and small enough to avoid overflow.
void check_factors(const char* what, const Int64List& values, size_t expected) {
  check_length(what, values.size(), expected);
  for (int64_t value : values) {
    if (value < 1 || value >= int64_t{1} << 31) {
      refuse(kName, fmt::format("{}: got [{}], wanted numbers from 1 to 2^31-1", what, fmt::join(values, ",")));
    }
  }
}

hlo::ConvolutionDimensions hlo_dimensions(const ConvDimensionNumbers& numbers) {
  for (const Int64List* spec : {&numbers.lhs_spec, &numbers.rhs_spec, &numbers.out_spec}) {
    if (spec->size() < 2) refuse(kName, "dimension_numbers: each list has at least two dimensions");
  }
  return {numbers.lhs_spec[0],       numbers.lhs_spec[1],       numbers.rhs_spec[1],
          numbers.rhs_spec[0],       numbers.out_spec[0],       numbers.out_spec[1],
          spatial(numbers.lhs_spec), spatial(numbers.rhs_spec), spatial(numbers.out_spec)};
}

/// Checks that the result type is at least as wide as the operands' and of the same kind; integers may also be summed
/// as floats.
void check_preferred(ElementType operands, ElementType preferred) {
  const ElementTypeInfo &from = element_type_info(operands), &to = element_type_info(preferred);
  const bool counts = is_integer(operands) && is_floating(preferred);
  const bool kind = operands == ElementType::kPred || from.element_class == to.element_class || counts ||
                    (is_unsigned_integer(operands) && is_integer(preferred));
  if (kind && to.bits >= from.bits) return;
  refuse(
      kName,
      fmt::format("preferred_element_type: got {} for operands of {}; wanted a type of their kind that is no narrower",
                  to.name, from.name));
}

/// Checks that negative padding crops a dimension at most to size 0.
void check_crop(const Int64List& sizes, const Int64List& dilation, const PaddingPairs& pads) {
  for (size_t k = 0; k < pads.size(); ++k) {
    const __int128 padded = static_cast<__int128>(dilate(sizes[k], dilation[k])) + pads[k].first + pads[k].second;
    if (padded >= 0) continue;
    refuse(kName, fmt::format("padding: {}_{} removes more than dimension {} has, {}", pads[k].first, pads[k].second, k,
                              dilate(sizes[k], dilation[k])));
  }
}

/// Calls padtype_to_pads and adds the line of the call to its errors.
PaddingPairs pads_of(const Int64List& sizes, const Int64List& covered, const Int64List& strides,
                     const Padding& padding) {
  try {
    return padtype_to_pads(sizes, covered, strides, padding);
  } catch (const Error& error) {
    refuse(kName, std::string(error.status().message()));
  }
}

/// Returns the padding of a transposed convolution from that of the forward convolution.
std::pair<int64_t, int64_t> conv_transpose_padding(int64_t k, int64_t s, const Padding& padding, size_t dimension) {
  if (padding.pairs() != nullptr) {
    const auto& [low, high] = (*padding.pairs())[dimension];
    return {k - low - 1, k - high - 1};
  }
  if (*padding.word() == "SAME") {
    const int64_t total = k + s - 2;
    const int64_t before = s > k - 1 ? k - 1 : (total + 1) / 2;
    return {before, total - before};
  }
  const int64_t total = k + s - 2 + std::max<int64_t>(k - s, 0);
  return {k - 1, total - (k - 1)};
}

ConvGeneralDilatedDimensionNumbers channels_last(int64_t rank) {
  switch (rank) {
    case 2: return {"NC", "IO", "NC"};
    case 3: return {"NHC", "HIO", "NHC"};
    case 4: return {"NHWC", "HWIO", "NHWC"};
    case 5: return {"NHWDC", "HWDIO", "NHWDC"};
    default: refuse(kName, fmt::format("conv_transpose: no default dimension_numbers for rank {}", rank));
  }
}

/// Converts sizes by role to sizes by dimension.
Dimensions sizes_by_dimension(const Dimensions& sizes, const Int64List& spec) {
  Dimensions shape = sizes;
  for (size_t d = 0; d < sizes.size(); ++d) shape[spec[d]] = sizes[d];
  return shape;
}

/// Returns the dimension numbers for a kernel with one input and one output feature.
ConvDimensionNumbers numbers_of_filter(const Array& lhs, const Int64List& filter_shape,
                                       const ConvGeneralDilatedDimensionNumbers& dimension_numbers) {
  Int64List kernel = {1, 1};
  kernel.insert(kernel.end(), filter_shape.begin(), filter_shape.end());
  return conv_dimension_numbers(lhs.aval_shape(), or_throw(Shape::make_array(lhs.dtype(), kernel)), dimension_numbers);
}

}  // namespace

ConvGeneralDilatedDimensionNumbers::ConvGeneralDilatedDimensionNumbers(ConvDimensionNumbers numbers)
    : kind_(Kind::kNumbers), numbers_(std::move(numbers)) {}
ConvGeneralDilatedDimensionNumbers::ConvGeneralDilatedDimensionNumbers(ConvDimensionLabels labels)
    : kind_(Kind::kLabels), labels_(std::move(labels)) {}
ConvGeneralDilatedDimensionNumbers::ConvGeneralDilatedDimensionNumbers(std::string lhs, std::string rhs,
                                                                       std::string out)
    : ConvGeneralDilatedDimensionNumbers(ConvDimensionLabels{std::move(lhs), std::move(rhs), std::move(out)}) {}

ConvDimensionNumbers conv_dimension_numbers(const Shape& lhs, const Shape& rhs,
                                            const ConvGeneralDilatedDimensionNumbers& dimension_numbers) {
  if (const ConvDimensionNumbers* numbers = dimension_numbers.numbers()) return *numbers;
  if (lhs.rank() != rhs.rank() || lhs.rank() < 2) {
    refuse(kName,
           fmt::format("lhs and rhs have one rank, at least 2; got {} and {}", lhs.to_string(), rhs.to_string()));
  }
  if (const ConvDimensionLabels* labels = dimension_numbers.labels()) {
    return {spec_of(labels->lhs, "NC", labels->rhs, lhs.rank()), spec_of(labels->rhs, "OI", labels->rhs, lhs.rank()),
            spec_of(labels->out, "NC", labels->rhs, lhs.rank())};
  }
  const Int64List all = ops::all_dimensions(lhs.rank());
  return {all, all, all};
}

Array conv_general_dilated(const Operand& lhs, const Operand& rhs, const Int64List& window_strides,
                           const Padding& padding, const ConvGeneralDilatedOptions& options) {
  const UserLocation here(lhs.location());
  const Array &x = lhs.array(), &kernel = rhs.array();
  const ConvDimensionNumbers numbers =
      conv_dimension_numbers(x.aval_shape(), kernel.aval_shape(), options.dimension_numbers);
  hlo::ConvolutionAttributes a;
  a.dimensions = hlo_dimensions(numbers);
  const Int64List in_sizes = select(x.shape(), a.dimensions.input_spatial),
                  kernel_sizes = select(kernel.shape(), a.dimensions.kernel_spatial);
  const size_t rank = kernel_sizes.size();
  const Int64List base = value_or_ones(options.lhs_dilation, rank), inner = value_or_ones(options.rhs_dilation, rank);
  check_factors("window_strides", window_strides, rank);
  check_factors("lhs_dilation", base, rank);
  check_factors("rhs_dilation", inner, rank);
  check_length("dimension_numbers of lhs", in_sizes.size(), rank);
  if (padding.word() != nullptr && std::ranges::count(base, 1) != std::ssize(base)) {
    refuse(kName, "padding by name can't be combined with lhs_dilation. Hint: pass pairs, or use conv_transpose");
  }
  Int64List covered;
  for (size_t k = 0; k < rank; ++k) covered.push_back(dilate(kernel_sizes[k], inner[k]));
  const PaddingPairs pads = pads_of(in_sizes, covered, window_strides, padding);
  check_length("padding", pads.size(), rank);
  check_crop(in_sizes, base, pads);
  for (size_t k = 0; k < rank; ++k) {
    a.window.push_back(
        {kernel_sizes[k], window_strides[k], pads[k].first, pads[k].second, base[k], inner[k], /*reversal=*/false});
  }
  a.feature_group_count = options.feature_group_count;
  a.batch_group_count = options.batch_group_count;
  a.operand_precision = options.precision.words();
  Operation operation{hlo::Opcode::kConvolution,
                      {x, kernel},
                      std::make_shared<const hlo::ConvolutionAttributes>(std::move(a)),
                      std::nullopt};
  if (options.preferred_element_type) {
    const ElementType type = canonical_type(*options.preferred_element_type);
    check_preferred(x.dtype(), type);
    operation.declared = result_avals(operation)[0].shape.with_element_type(type);
  }
  return bind(operation)[0];
}

Array conv(const Operand& lhs, const Operand& rhs, const Int64List& window_strides, const Padding& padding,
           const ConvOptions& options) {
  return conv_with_general_padding(lhs, rhs, window_strides, padding, std::nullopt, std::nullopt, options);
}

Array conv_with_general_padding(const Operand& lhs, const Operand& rhs, const Int64List& window_strides,
                                const Padding& padding, const OptionalDimensions& lhs_dilation,
                                const OptionalDimensions& rhs_dilation, const ConvOptions& options) {
  return conv_general_dilated(lhs, rhs, window_strides, padding,
                              {.lhs_dilation = lhs_dilation,
                               .rhs_dilation = rhs_dilation,
                               .precision = options.precision,
                               .preferred_element_type = options.preferred_element_type});
}

Array conv_transpose(const Operand& lhs, const Operand& rhs, const Int64List& strides, const Padding& padding,
                     const ConvTransposeOptions& options) {
  const UserLocation here(lhs.location());
  const bool stated = options.dimension_numbers.numbers() != nullptr || options.dimension_numbers.labels() != nullptr;
  const ConvDimensionNumbers numbers =
      conv_dimension_numbers(lhs.array().aval_shape(), rhs.array().aval_shape(),
                             stated ? options.dimension_numbers : channels_last(lhs.array().ndim()));
  hlo_dimensions(numbers);  // for its checks
  const Int64List sizes = select(rhs.array().shape(), spatial(numbers.rhs_spec));
  const Int64List inner = value_or_ones(options.rhs_dilation, sizes.size());
  check_factors("strides", strides, sizes.size());
  check_factors("rhs_dilation", inner, sizes.size());
  PaddingPairs pads;
  if (padding.pairs() != nullptr) {
    check_length("padding", padding.pairs()->size(), sizes.size());
    pads = *padding.pairs();
  } else if (*padding.word() != "SAME" && *padding.word() != "VALID") {
    refuse(kName, fmt::format("padding: got '{}', wanted SAME, VALID or pairs of numbers", *padding.word()));
  }
  if (options.use_consistent_padding || padding.word() != nullptr) {
    pads.clear();
    for (size_t k = 0; k < sizes.size(); ++k) {
      pads.push_back(conv_transpose_padding(dilate(sizes[k], inner[k]), strides[k], padding, k));
    }
  }
  Array kernel = rhs.array();
  if (options.transpose_kernel) {
    kernel = ops::reverse(kernel, spatial(numbers.rhs_spec));
    Int64List swapped = ops::all_dimensions(kernel.ndim());
    std::swap(swapped[numbers.rhs_spec[0]], swapped[numbers.rhs_spec[1]]);
    kernel = ops::transpose(kernel, swapped);
  }
  return conv_general_dilated(lhs, kernel, Int64List(sizes.size(), 1), pads,
                              {.lhs_dilation = strides,
                               .rhs_dilation = inner,
                               .dimension_numbers = numbers,
                               .precision = options.precision,
                               .preferred_element_type = options.preferred_element_type});
}

Array conv_general_dilated_patches(const Operand& lhs, const Int64List& filter_shape, const Int64List& window_strides,
                                   const Padding& padding, const ConvPatchesOptions& options) {
  const UserLocation here(lhs.location());
  const Array& x = lhs.array();
  const ConvDimensionNumbers numbers = numbers_of_filter(x, filter_shape, options.dimension_numbers);
  hlo_dimensions(numbers);  // for its checks
  int64_t window = 1;
  for (int64_t size : filter_shape) window *= size;
  const int64_t features = select(x.shape(), numbers.lhs_spec)[1];
  // For each feature, one kernel per window element, which is 1 there and 0 elsewhere.
  const Shape square = Shape::array(ElementType::kS32, {window, window});
  const Array one = ops::convert_element_type(ops::eq(ops::iota(square, 0), ops::iota(square, 1)), x.dtype());
  const Array kernels = ops::broadcast_in_dim(one, Shape::array(x.dtype(), {features, window, window}), {1, 2});
  Int64List sizes = {features * window, 1};
  sizes.insert(sizes.end(), filter_shape.begin(), filter_shape.end());
  Int64List order(x.ndim());  // from (O, I, spatial dimensions) to the order of rhs_spec
  for (size_t d = 0; d < order.size(); ++d) order[numbers.rhs_spec[d]] = d;
  return conv_general_dilated(x, ops::transpose(ops::reshape(kernels, sizes), order), window_strides, padding,
                              {.lhs_dilation = options.lhs_dilation,
                               .rhs_dilation = options.rhs_dilation,
                               .dimension_numbers = numbers,
                               .feature_group_count = features,
                               .precision = options.precision,
                               .preferred_element_type = options.preferred_element_type});
}

Array conv_general_dilated_local(const Operand& lhs, const Operand& rhs, const Int64List& window_strides,
                                 const Padding& padding, const Int64List& filter_shape,
                                 const ConvLocalOptions& options) {
  const UserLocation here(lhs.location());
  const Array patches = conv_general_dilated_patches(lhs, filter_shape, window_strides, padding,
                                                     {.lhs_dilation = options.lhs_dilation,
                                                      .rhs_dilation = options.rhs_dilation,
                                                      .dimension_numbers = options.dimension_numbers,
                                                      .precision = options.precision});
  const ConvDimensionNumbers numbers = numbers_of_filter(lhs, filter_shape, options.dimension_numbers);
  Int64List places = spatial(numbers.out_spec), kernel_places = spatial(numbers.rhs_spec);
  const Array out = dot_general(patches, rhs, {{{numbers.out_spec[1]}, {numbers.rhs_spec[1]}}, {places, kernel_places}},
                                {.precision = options.precision});
  // The result has its spatial dimensions first, then the batch, then the features.
  const int64_t rank = places.size();
  Int64List order(static_cast<size_t>(rank) + 2);
  order[numbers.out_spec[0]] = rank;
  order[numbers.out_spec[1]] = rank + 1;
  for (int64_t d = 0; d < rank; ++d) order[places[d]] = d;
  return ops::transpose(out, order);
}

std::vector<Int64List> conv_general_permutations(const ConvDimensionLabels& labels) {
  const int64_t rank = labels.rhs.size();
  return {spec_of(labels.lhs, "NC", labels.rhs, rank), spec_of(labels.rhs, "OI", labels.rhs, rank),
          spec_of(labels.out, "NC", labels.rhs, rank)};
}

Dimensions conv_shape_tuple(const Dimensions& lhs_shape, const Dimensions& rhs_shape, const Dimensions& strides,
                            const Padding& pads, int64_t batch_group_count) {
  const Int64List in = spatial(lhs_shape), window = spatial(rhs_shape);
  const PaddingPairs pairs = pads_of(in, window, strides, pads);
  check_length("padding", pairs.size(), in.size());
  check_factors("strides", strides, in.size());
  Dimensions shape = {lhs_shape[0] / batch_group_count, rhs_shape[0]};
  for (size_t k = 0; k < in.size(); ++k) {
    const int64_t padded = in[k] + pairs[k].first + pairs[k].second;
    shape.push_back(padded < window[k] ? 0 : (padded - window[k]) / strides[k] + 1);
  }
  return shape;
}

Dimensions conv_general_shape_tuple(const Dimensions& lhs_shape, const Dimensions& rhs_shape,
                                    const Dimensions& window_strides, const Padding& padding,
                                    const ConvDimensionLabels& dimension_numbers) {
  const std::vector<Int64List> specs = conv_general_permutations(dimension_numbers);
  const Dimensions canonical =
      conv_shape_tuple(select(lhs_shape, specs[0]), select(rhs_shape, specs[1]), window_strides, padding);
  return sizes_by_dimension(canonical, specs[2]);
}

Dimensions conv_transpose_shape_tuple(const Dimensions& lhs_shape, const Dimensions& rhs_shape,
                                      const Dimensions& window_strides, const Padding& padding,
                                      const ConvDimensionLabels& dimension_numbers) {
  const std::vector<Int64List> specs = conv_general_permutations(dimension_numbers);
  const Int64List in = select(lhs_shape, specs[0]), kernel = select(rhs_shape, specs[1]);
  check_factors("strides", window_strides, in.size() - 2);
  Dimensions canonical = {in[0], kernel[0]};
  for (size_t d = 2; d < in.size(); ++d) {
    const auto [low, high] = padding.pairs() != nullptr
                                 ? padding.pairs()->at(d - 2)
                                 : conv_transpose_padding(kernel[d], window_strides[d - 2], padding, d - 2);
    canonical.push_back((in[d] - 1) * window_strides[d - 2] - kernel[d] + 2 + low + high);
  }
  return sizes_by_dimension(canonical, specs[2]);
}

}  // namespace hilo::lax
