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

/// The dimensions of a convolution by role:
///     lhs_spec    batch, feature, spatial dimensions ...
///     rhs_spec    output feature, input feature, spatial dimensions ...
///     out_spec    batch, feature, spatial dimensions ...
struct ConvDimensionNumbers {
  std::vector<int64_t> lhs_spec, rhs_spec, out_spec;
  bool operator==(const ConvDimensionNumbers&) const = default;
};

/// The dimensions of a convolution by labels, one letter per dimension: N batch, C feature, I and O the kernel's
/// features, any other letter a spatial dimension. {"NHWC", "HWIO", "NHWC"}
struct ConvDimensionLabels {
  std::string lhs, rhs, out;
};

/// Labels or numbers; by default NCHW, OIHW, NCHW.
class ConvGeneralDilatedDimensionNumbers {
 public:
  ConvGeneralDilatedDimensionNumbers() = default;
  ConvGeneralDilatedDimensionNumbers(ConvDimensionNumbers numbers);  // both convert implicitly
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

/// Returns the dimension numbers of labels, for arrays of these ranks.
/// Errors     INVALID_ARGUMENT if a label is missing, duplicate, or has no counterpart
ConvDimensionNumbers conv_dimension_numbers(const Shape& lhs, const Shape& rhs,
                                            const ConvGeneralDilatedDimensionNumbers& dimension_numbers);

struct ConvGeneralDilatedOptions {
  Named named = Named();
  OptionalDimensions lhs_dilation = std::nullopt, rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  int64_t feature_group_count = 1, batch_group_count = 1;
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
/// Convolves `lhs` with the kernel `rhs`: jax.lax.conv_general_dilated.
/// Shapes     lhs and rhs have the same rank, n + 2; window_strides, padding and dilations have n values. A spatial
///            dimension of the result has floor((padded lhs - dilated rhs) / stride) + 1 elements, or 0 if that is
///            negative. feature_group_count > 1: each group of input features yields a group of output features;
///            batch_group_count > 1: the same for groups of the batch. Padding is "SAME", "SAME_LOWER", "VALID", or
///            pairs, which may be negative; names can't be combined with lhs_dilation.
/// Types      operands of one type; the result has it too, unless preferred_element_type requests a wider one
/// Errors     INVALID_ARGUMENT if sizes, counts or types don't fit
/// Example    const Array image = numpy::ones({1, 3, 3, 1}), kernel = numpy::ones({2, 2, 1, 1});
///            const ConvGeneralDilatedOptions options = {.dimension_numbers = {"NHWC", "HWIO", "NHWC"}};
///            const Array out = conv_general_dilated(image, kernel, {1, 1}, "SAME", options);
///            out.reshape({3, 3})  // [[4. 4. 2.] [4. 4. 2.] [2. 2. 1.]]
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

/// Arguments of conv_general_dilated by name: conv_general_dilated(x, w, {.window_strides = {1, 1}, .padding =
/// "SAME"}).
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
/// Convolves an NCHW `lhs` with an OIHW kernel, without dilation: jax.lax.conv.
/// Example    const Array image = numpy::ones({1, 1, 3, 3}), kernel = numpy::ones({1, 1, 2, 2});
///            conv(image, kernel, {1, 1}, "VALID").reshape({2, 2})  // [[4. 4.] [4. 4.]]
Array conv(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& window_strides, const Padding& padding,
           const ConvOptions& options = {});
/// Convolves an NCHW `lhs` with an OIHW kernel.
Array conv_with_general_padding(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& window_strides,
                                const Padding& padding, const OptionalDimensions& lhs_dilation,
                                const OptionalDimensions& rhs_dilation, const ConvOptions& options = {});

struct ConvTransposeOptions {
  OptionalDimensions rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  bool transpose_kernel = false;
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
  bool use_consistent_padding = false;
};
/// Computes the transposed (fractionally strided) convolution: jax.lax.conv_transpose. The default layout is NHWC,
/// HWIO, NHWC. transpose_kernel flips the kernel's spatial dimensions and swaps its features; the result is then that
/// of the gradient of a convolution.
/// Shapes     Padding by name is that of the forward convolution; so are pairs if use_consistent_padding is set,
///            otherwise they pad the dilated lhs.
/// Errors     INVALID_ARGUMENT as for conv_general_dilated
Array conv_transpose(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& strides,
                     const Padding& padding, const ConvTransposeOptions& options = {});

struct ConvPatchesOptions {
  OptionalDimensions lhs_dilation = std::nullopt, rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
/// Returns the window of `filter_shape` at each position as features: for each feature of lhs the elements of its
/// window, in the order of the kernel's spatial dimensions.
Array conv_general_dilated_patches(const Operand& lhs, const std::vector<int64_t>& filter_shape,
                                   const std::vector<int64_t>& window_strides, const Padding& padding,
                                   const ConvPatchesOptions& options = {});
struct ConvLocalOptions {
  OptionalDimensions lhs_dilation = std::nullopt, rhs_dilation = std::nullopt;
  ConvGeneralDilatedDimensionNumbers dimension_numbers = {};
  PrecisionLike precision = {};
};
/// Convolves with a different kernel at each position of the result. rhs has the result's spatial dimensions; its input
/// features are those of conv_general_dilated_patches.
Array conv_general_dilated_local(const Operand& lhs, const Operand& rhs, const std::vector<int64_t>& window_strides,
                                 const Padding& padding, const std::vector<int64_t>& filter_shape,
                                 const ConvLocalOptions& options = {});

// Compute the shapes of results from shapes alone.
/// Returns the permutations that bring lhs, rhs and the result to NCHW, OIHW, NCHW.
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
