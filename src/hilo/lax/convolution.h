// SPDX-License-Identifier: Apache-2.0
// lax/convolution.h -- the convolutions of jax.lax.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hilo/array/arguments.h"
#include "hilo/array/array.h"
#include "hilo/lax/padding.h"
#include "hilo/lax/precision.h"

namespace hilo::lax {

using hilo::Named, hilo::OptionalDimensions;

/// Where the dimensions of a convolution are, by role:
///     lhs_spec    batch, feature, spatial dimensions ...
///     rhs_spec    output feature, input feature, spatial dimensions ...
///     out_spec    batch, feature, spatial dimensions ...
struct ConvDimensionNumbers {
  std::vector<int64_t> lhs_spec, rhs_spec, out_spec;
  bool operator==(const ConvDimensionNumbers&) const = default;
};

/// Three words, a letter per dimension: N batch, C feature, I and O the kernel's features, any other letter a spatial
/// dimension. {"NHWC", "HWIO", "NHWC"}
struct ConvDimensionLabels {
  std::string lhs, rhs, out;
};

/// Labels, numbers, or nothing, which means NCHW, OIHW, NCHW.
class ConvGeneralDilatedDimensionNumbers {
 public:
  ConvGeneralDilatedDimensionNumbers() = default;
  ConvGeneralDilatedDimensionNumbers(ConvDimensionNumbers numbers);  // both convert
  ConvGeneralDilatedDimensionNumbers(ConvDimensionLabels labels);
  ConvGeneralDilatedDimensionNumbers(std::string lhs, std::string rhs, std::string out);
  const ConvDimensionNumbers* numbers() const { return kind_ == Kind::kNumbers ? &numbers_ : nullptr; }
  const ConvDimensionLabels* labels() const { return kind_ == Kind::kLabels ? &labels_ : nullptr; }

 private:
  enum class Kind : uint8_t { kAbsent, kNumbers, kLabels };
  Kind kind_ = Kind::kAbsent;
  ConvDimensionNumbers numbers_;
  ConvDimensionLabels labels_;
};

/// The numbers that labels mean for arrays of these ranks.
/// Errors    INVALID_ARGUMENT where a label is missing, doubled, or of no counterpart
ConvDimensionNumbers conv_dimension_numbers(const Shape& lhs, const Shape& rhs,
                                            const ConvGeneralDilatedDimensionNumbers& dimension_numbers);

struct ConvGeneralDilatedOptions {
  Named named = Named();
  OptionalDimensions lhs_dilation = std::nullopt, rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  /// Slides `rhs`, the kernel, over `lhs`.
  ///   Shapes     lhs and rhs of one rank, n + 2; window_strides, padding and dilations of n values each. Along a spatial
  ///              dimension the result has floor((padded lhs - dilated rhs) / stride) + 1 elements, 0 where none fits.
  ///   Types      one type; the result has it too, unless preferred_element_type names a wider one
  ///   Groups     feature_group_count > 1: each group of input features makes a group of output features;
  ///              batch_group_count > 1: each group of the batch does
  ///   Padding    "SAME", "SAME_LOWER", "VALID", or pairs, which may be negative; words don't go with lhs_dilation
  ///   Errors     INVALID_ARGUMENT where sizes, counts or types don't fit
  ///   Example    conv_general_dilated(images, kernel, {2, 2}, "SAME", {.dimension_numbers = {"NHWC", "HWIO", "NHWC"}})
  int64_t feature_group_count = 1, batch_group_count = 1;
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
Array conv_general_dilated(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& window_strides,
                           const Padding& padding, const ConvGeneralDilatedOptions& options = {});
template <int = 0>
Array conv_general_dilated(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& window_strides,
                           const Padding& padding, const OptionalDimensions& lhs_dilation,
                           const OptionalDimensions& rhs_dilation = std::nullopt,
                           const ConvGeneralDilatedDimensionNumbers& dimension_numbers = {},
                           int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                           const PrecisionLike& precision = {},
                           std::optional<ElementType> preferred_element_type = {}) {
  return conv_general_dilated(
      lhs, rhs, window_strides, padding,
      ConvGeneralDilatedOptions{Named(), lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count,
                                batch_group_count, precision, preferred_element_type});
}

/// All of it by name: conv_general_dilated(x, w, {.window_strides = {1, 1}, .padding = "SAME"}).
struct ConvGeneralDilatedByName {
  std::vector<int64_t> window_strides;
  Padding padding;
  OptionalDimensions lhs_dilation = std::nullopt, rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  int64_t feature_group_count = 1, batch_group_count = 1;
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
inline Array conv_general_dilated(const Operand& lhs, const Operand& rhs, const ConvGeneralDilatedByName& o) {
  return conv_general_dilated(lhs, rhs, o.window_strides, o.padding, o.lhs_dilation, o.rhs_dilation,
                              o.dimension_numbers, o.feature_group_count, o.batch_group_count, o.precision,
                              o.preferred_element_type);
}

struct ConvOptions {
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
/// conv_general_dilated of NCHW and OIHW, undilated.
Array conv(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& window_strides, const Padding& padding,
           const ConvOptions& options = {});
/// conv_general_dilated of NCHW and OIHW.
Array conv_with_general_padding(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& window_strides,
                                const Padding& padding, const OptionalDimensions& lhs_dilation,
                                const OptionalDimensions& rhs_dilation, const ConvOptions& options = {});

struct ConvTransposeOptions {
  OptionalDimensions rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  /// The fractionally strided convolution. The default layout is NHWC, HWIO, NHWC.
  ///   Padding    words are those of the forward convolution; pairs are too if use_consistent_padding, else they pad the
  ///              dilated lhs
  ///   Kernel     transpose_kernel flips its spatial dimensions and swaps its features, which makes the result that of the
  ///              gradient of a convolution
  ///   Errors     INVALID_ARGUMENT as for conv_general_dilated
  bool transpose_kernel = false;
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
  bool use_consistent_padding = false;
};
Array conv_transpose(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& strides,
                     const Padding& padding, const ConvTransposeOptions& options = {});

struct ConvPatchesOptions {
  OptionalDimensions lhs_dilation = std::nullopt, rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
/// What a window of `filter_shape` sees at each of its places, as features: for each feature of lhs the elements of its
/// window, in the order of the kernel's spatial dimensions.
Array conv_general_dilated_patches(const Operand& lhs, const std::vector<int64_t>& filter_shape,
                                   const std::vector<int64_t>& window_strides, const Padding& padding,
                                   const ConvPatchesOptions& options = {});
struct ConvLocalOptions {
  OptionalDimensions lhs_dilation = std::nullopt, rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  PrecisionLike precision = {};
};
/// A convolution with a kernel of its own at each place of the result: rhs has the result's spatial dimensions, and as input
/// features those of conv_general_dilated_patches.
Array conv_general_dilated_local(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& window_strides,
                                 const Padding& padding, const std::vector<int64_t>& filter_shape,
                                 const ConvLocalOptions& options = {});

// Shapes of results, from shapes alone.
/// The permutations that bring lhs, rhs and the result to NCHW, OIHW, NCHW.
std::vector<std::vector<int64_t>> conv_general_permutations(const ConvDimensionLabels& dimension_numbers);
Dimensions conv_shape_tuple(const Dimensions& lhs_shape, const Dimensions& rhs_shape, const Dimensions& strides,
                            const Padding& pads, int64_t batch_group_count = 1);
Dimensions conv_general_shape_tuple(const Dimensions& lhs_shape, const Dimensions& rhs_shape,
                                    const Dimensions& window_strides, const Padding& padding,
                                    const ConvDimensionLabels& dimension_numbers);
Dimensions conv_transpose_shape_tuple(const Dimensions& lhs_shape, const Dimensions& rhs_shape,
                                      const Dimensions& window_strides, const Padding& padding,
                                      const ConvDimensionLabels& dimension_numbers);

}  // namespace hilo::lax
