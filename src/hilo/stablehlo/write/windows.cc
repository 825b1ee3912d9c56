// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/stablehlo/write/plain.h"
#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {
namespace {

/// Returns one number per dimension of a window.
template <typename F>
std::vector<int64_t> each(const hlo::Window& window, F number) {
  std::vector<int64_t> values;
  for (const hlo::WindowDimension& dimension : window) values.push_back(number(dimension));
  return values;
}

void put_padding(TreeBuilder& builder, NewOperation& operation, const hlo::Window& window) {
  std::vector<std::vector<int64_t>> rows;
  for (const hlo::WindowDimension& d : window) rows.push_back({d.padding_low, d.padding_high});
  builder.put_attribute(operation, "padding", builder.matrix(rows, 2));
}

/// Replaces a window without dimensions by one that has no effect.
hlo::Window whole(hlo::Window window, int64_t rank) {
  if (window.empty()) window.resize(rank);
  return window;
}

}  // namespace

StatusOr<bool> write_convolution(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  const auto& convolution = context.attributes<hlo::ConvolutionAttributes>();
  const hlo::ConvolutionDimensions& d = convolution.dimensions;
  const hlo::Window window = whole(convolution.window, std::ssize(d.input_spatial));
  TreeBuilder& builder = context.builder();
  builder.put(operation, "window_strides", each(window, [](const auto& w) { return w.stride; }));
  put_padding(builder, operation, window);
  builder.put(operation, "lhs_dilation", each(window, [](const auto& w) { return w.base_dilation; }));
  builder.put(operation, "rhs_dilation", each(window, [](const auto& w) { return w.window_dilation; }));
  builder.put(operation, "window_reversal", each(window, [](const auto& w) { return w.reversal; }));
  const std::pair<std::string_view, int64_t> places[] = {{"input_batch_dimension", d.input_batch},
                                                         {"input_feature_dimension", d.input_feature},
                                                         {"kernel_input_feature_dimension", d.kernel_input},
                                                         {"kernel_output_feature_dimension", d.kernel_output},
                                                         {"output_batch_dimension", d.output_batch},
                                                         {"output_feature_dimension", d.output_feature},
                                                         {"feature_group_count", convolution.feature_group_count},
                                                         {"batch_group_count", convolution.batch_group_count}};
  for (const auto& [name, value] : places) builder.put(operation, name, value);
  builder.put(operation, "input_spatial_dimensions", d.input_spatial);
  builder.put(operation, "kernel_spatial_dimensions", d.kernel_spatial);
  builder.put(operation, "output_spatial_dimensions", d.output_spatial);
  builder.put_attribute(operation, "precision_config", precisions(builder, convolution.operand_precision));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_window(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  TreeBuilder& builder = context.builder();
  const bool scatters = context.instruction.opcode == hlo::Opcode::kSelectAndScatter;
  const hlo::Window window = whole(scatters ? context.attributes<hlo::SelectAndScatterAttributes>().window
                                            : context.attributes<hlo::ReduceWindowAttributes>().window,
                                   context.operand_shape(0).rank());
  builder.put(operation, "window_dimensions", each(window, [](const auto& w) { return w.size; }));
  builder.put(operation, "window_strides", each(window, [](const auto& w) { return w.stride; }));
  put_padding(builder, operation, window);
  const std::vector<int64_t> base = each(window, [](const auto& w) { return w.base_dilation; });
  const std::vector<int64_t> spread = each(window, [](const auto& w) { return w.window_dilation; });
  if (!scatters) {
    builder.put(operation, "base_dilations", base);
    builder.put(operation, "window_dilations", spread);
    HILO_RETURN_IF_ERROR(
        context.add(operation, std::span(&context.attributes<hlo::ReduceWindowAttributes>().to_apply, 1)));
    return true;
  }
  const std::vector<int64_t> ones(window.size(), 1);
  if (base != ones || spread != ones) return unimplemented("StableHLO's select_and_scatter has no dilations");
  const auto& attributes = context.attributes<hlo::SelectAndScatterAttributes>();
  const hlo::ComputationPtr regions[] = {attributes.select, attributes.scatter};
  HILO_RETURN_IF_ERROR(context.add(operation, regions));
  return true;
}

}  // namespace hilo::stablehlo
