// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/windows.h"

#include <fmt/format.h>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/plain.h"
#include "hilo/stablehlo/translate/refined.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

struct WindowLists {
  std::vector<int64_t> sizes, strides, padding, base_dilations, window_dilations, reversal;
};

std::string times_text(const std::vector<int64_t>& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : "x", values[i]);
  return text;
}

bool all_are(const std::vector<int64_t>& values, int64_t wanted) {
  for (int64_t value : values) {
    if (value != wanted) return false;
  }
  return true;
}

/// Returns "{size=2x2 stride=1x2 pad=0_1x0_0}", the HLO text of a window.
StatusOr<std::string> window_text(const WindowLists& w) {
  const size_t rank = w.sizes.size();
  for (const auto* list : {&w.strides, &w.base_dilations, &w.window_dilations, &w.reversal}) {
    if (!list->empty() && list->size() != rank)
      return invalid_argument(fmt::format("a window of {} dimensions has a list of length {}", rank, list->size()));
  }
  if (!w.padding.empty() && w.padding.size() != 2 * rank)
    return invalid_argument(fmt::format("a window of {} dimensions has {} paddings", rank, w.padding.size()));
  if (rank == 0) return std::string("{}");
  std::string text = "{size=" + times_text(w.sizes);
  if (!all_are(w.strides, 1)) text += " stride=" + times_text(w.strides);
  if (!all_are(w.padding, 0)) {
    text += " pad=";
    for (size_t i = 0; i < rank; ++i)
      text += fmt::format("{}{}_{}", i == 0 ? "" : "x", w.padding[2 * i], w.padding[2 * i + 1]);
  }
  if (!all_are(w.base_dilations, 1)) text += " lhs_dilate=" + times_text(w.base_dilations);
  if (!all_are(w.window_dilations, 1)) text += " rhs_dilate=" + times_text(w.window_dilations);
  if (!all_are(w.reversal, 0)) text += " rhs_reversal=" + times_text(w.reversal);
  return text + "}";
}

/// Returns "b01f", from the indices of batch, feature (or input, output) and spatial dimensions.
StatusOr<std::string> labels(int64_t first, char first_letter, int64_t second, char second_letter,
                             const std::vector<int64_t>& spatial) {
  std::string text(spatial.size() + 2, '?');
  const auto put = [&text](int64_t place, char letter) {
    if (place < 0 || place >= std::ssize(text) || text[place] != '?') return false;
    text[place] = letter;
    return true;
  };
  bool well = spatial.size() < 10 && put(first, first_letter) && put(second, second_letter);
  for (size_t i = 0; well && i < spatial.size(); ++i) well = put(spatial[i], static_cast<char>('0' + i));
  if (!well) return invalid_argument("a convolution's dimension numbers are not a permutation");
  return text;
}

StatusOr<std::string> side(const OpContext& op, std::string_view prefix, std::string_view first, char first_letter,
                           std::string_view second, char second_letter) {
  HILO_ASSIGN_OR_RETURN(const int64_t a, op.integer(fmt::format("{}_{}_dimension", prefix, first)));
  HILO_ASSIGN_OR_RETURN(const int64_t b, op.integer(fmt::format("{}_{}_dimension", prefix, second)));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> spatial, op.integers(fmt::format("{}_spatial_dimensions", prefix)));
  return labels(a, first_letter, b, second_letter, spatial);
}

StatusOr<std::string> precision_text(const OpContext& op) {
  const Attribute* const precision = op.find("precision_config");
  if (precision == nullptr || precision->kind != AttributeKind::kArray) return std::string();
  std::string text;
  bool any = false;
  for (AttributeId id : precision->elements) {
    const std::string word = ascii_lower(op.tree().attributes[id].text);
    any = any || word != "default";
    text += (text.empty() ? "" : ",") + word;
  }
  return any ? "{" + text + "}" : std::string();
}

StatusOr<WindowLists> reduce_window_lists(const OpContext& op) {
  WindowLists w;
  const std::vector<int64_t> none;
  HILO_ASSIGN_OR_RETURN(w.sizes, op.integers("window_dimensions", none));
  HILO_ASSIGN_OR_RETURN(w.strides, op.integers("window_strides", none));
  HILO_ASSIGN_OR_RETURN(w.base_dilations, op.integers("base_dilations", none));
  HILO_ASSIGN_OR_RETURN(w.window_dilations, op.integers("window_dilations", none));
  HILO_ASSIGN_OR_RETURN(w.padding, op.integers("padding", none));
  return w;
}

/// Returns `select` on the element type in which scattering computes, which may be wider than its own.
StatusOr<hlo::ComputationPtr> select_of(const OpContext& op, hlo::ComputationPtr select, const Region& scatter) {
  const Type& wide = op.tree().type_of(scatter.arguments.begin);
  if (select->parameter_count() != 2 || scatter.arguments.count == 0 || wide.kind != TypeKind::kTensor) return select;
  const Shape own = select->parameter(0).shape;
  if (own.element_type() == wide.element) return select;
  hlo::Builder builder("select.narrowed");
  std::vector<hlo::InstructionId> operands;
  for (int i = 0; i < 2; ++i) {
    const hlo::InstructionId x = builder.parameter(own.with_element_type(wide.element));
    HILO_ASSIGN_OR_RETURN(operands.emplace_back(), builder.add(Opcode::kConvert, {x}, nullptr, own));
  }
  auto call = std::make_shared<hlo::CallAttributes>();
  call->to_apply = std::move(select);
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId root, builder.add(Opcode::kCall, operands, std::move(call)));
  return std::move(builder).build(root);
}

Status add_with_regions(const OpContext& op, AttributeSetter& attributes) {
  for (uint32_t i = 0; i < std::size(op.row.regions) && !op.row.regions[i].empty(); ++i) {
    if (i >= op.operation.regions.count) return invalid_argument("a region is missing");
    const Region& region = op.tree().regions[op.operation.regions.begin + i];
    HILO_ASSIGN_OR_RETURN(hlo::ComputationPtr body,
                          op.translator.body(fmt::format("{}.{}", op.row.name, op.row.regions[i]), region));
    if (op.row.regions[i] == "select" && op.operation.regions.count == 2) {
      HILO_ASSIGN_OR_RETURN(body, select_of(op, body, op.tree().regions[op.operation.regions.begin + 1]));
    }
    HILO_RETURN_IF_ERROR(attributes.set_computation(op.row.regions[i], body));
  }
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, promoted_operands(op));
  return op.add(op.row.opcode, operands, attributes.take());
}

}  // namespace

Status translate_convolution(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const std::string input, side(op, "input", "batch", 'b', "feature", 'f'));
  HILO_ASSIGN_OR_RETURN(const std::string output, side(op, "output", "batch", 'b', "feature", 'f'));
  HILO_ASSIGN_OR_RETURN(const std::string kernel, side(op, "kernel", "input_feature", 'i', "output_feature", 'o'));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> places, op.integers("kernel_spatial_dimensions"));
  HILO_ASSIGN_OR_RETURN(const InstructionId kernel_operand, op.operand(1));
  const Shape kernel_shape = op.builder.shape(kernel_operand);
  if (kernel_shape.rank() != std::ssize(kernel))
    return invalid_argument("the kernel's rank doesn't match its dimension numbers");
  WindowLists w;
  const std::vector<int64_t> none;
  for (int64_t place : places) w.sizes.push_back(kernel_shape.dimension(place));
  HILO_ASSIGN_OR_RETURN(w.strides, op.integers("window_strides", none));
  HILO_ASSIGN_OR_RETURN(w.padding, op.integers("padding", none));
  HILO_ASSIGN_OR_RETURN(w.base_dilations, op.integers("lhs_dilation", none));
  HILO_ASSIGN_OR_RETURN(w.window_dilations, op.integers("rhs_dilation", none));
  HILO_ASSIGN_OR_RETURN(w.reversal, op.integers("window_reversal", none));
  AttributeSetter attributes(Opcode::kConvolution);
  HILO_ASSIGN_OR_RETURN(const std::string window, window_text(w));
  if (window != "{}") HILO_RETURN_IF_ERROR(attributes.set_text("window", window));
  HILO_RETURN_IF_ERROR(attributes.set_text("dim_labels", fmt::format("{}_{}->{}", input, kernel, output)));
  for (const std::string_view name : {"feature_group_count", "batch_group_count"}) {
    HILO_ASSIGN_OR_RETURN(const int64_t count, op.integer(name, 1));
    if (count != 1) HILO_RETURN_IF_ERROR(attributes.set(name, count));
  }
  HILO_ASSIGN_OR_RETURN(const std::string precision, precision_text(op));
  if (!precision.empty()) HILO_RETURN_IF_ERROR(attributes.set_text("operand_precision", precision));
  return add_with_regions(op, attributes);
}

/// Sizes, strides, dilations of array and window, and padding are the operands after arrays and initial values.
Status translate_dynamic_window(const OpContext& op) {
  constexpr uint32_t kLists = 5;
  const uint32_t arrays = op.operation.results.count, count = op.operation.operands.count;
  if (arrays == 0 || count != 2 * arrays + kLists)
    return invalid_argument(
        fmt::format("got {} operands for {} results; wanted {}", count, arrays, 2 * arrays + kLists));
  const Attribute* const called = op.find("called_computations");
  if (called == nullptr || called->elements.size() != 1) return op.missing("called_computations");
  WindowLists w;
  uint32_t next = 2 * arrays;
  for (auto* const list : {&w.sizes, &w.strides, &w.base_dilations, &w.window_dilations, &w.padding}) {
    HILO_ASSIGN_OR_RETURN(*list, constant_operand(op, next++));
  }
  AttributeSetter attributes(Opcode::kReduceWindow);
  HILO_ASSIGN_OR_RETURN(const std::string window, window_text(w));
  if (window != "{}") HILO_RETURN_IF_ERROR(attributes.set_text("window", window));
  HILO_ASSIGN_OR_RETURN(const hlo::ComputationPtr reducer,
                        op.translator.function(op.tree().attributes[called->elements[0]].text));
  HILO_RETURN_IF_ERROR(attributes.set_computation("to_apply", reducer));
  OpContext inner = op;
  inner.operand_limit = 2 * arrays;
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, inner.operands());
  return inner.add(Opcode::kReduceWindow, operands, attributes.take());
}

Status translate_window(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const WindowLists w, reduce_window_lists(op));
  HILO_ASSIGN_OR_RETURN(const std::string window, window_text(w));
  AttributeSetter attributes(op.row.opcode);
  if (window != "{}") HILO_RETURN_IF_ERROR(attributes.set_text("window", window));
  return add_with_regions(op, attributes);
}

}  // namespace hilo::stablehlo
