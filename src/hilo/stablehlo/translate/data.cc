// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/tree/mlir_names.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

StatusOr<InstructionId> broadcast(const OpContext& op, InstructionId operand, std::vector<int64_t> dimensions,
                                  const Shape& result) {
  auto attributes = std::make_shared<hlo::BroadcastAttributes>();
  attributes->dimensions = std::move(dimensions);
  return op.builder.add(Opcode::kBroadcast, {operand}, std::move(attributes), result);
}

}  // namespace

StatusOr<InstructionId> spread_scalar(const OpContext& op, InstructionId operand, const Shape& shape) {
  const Shape own = op.builder.shape(operand);
  if (!own.is_scalar() || shape.is_scalar()) return operand;
  return broadcast(op, operand, {}, shape.with_element_type(own.element_type()));
}

Status translate_elementwise(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(op.row.opcode, operands);
}

StatusOr<InstructionId> add_constant(const OpContext& op, const Attribute& value, const Shape& shape) {
  if (value.literal == nullptr) return invalid_argument("the value of a constant has no elements");
  const Literal& literal = *value.literal;
  const bool splat = literal.shape().is_scalar() && !shape.is_scalar();
  if (literal.shape().element_type() != shape.element_type() || (!splat && literal.shape() != shape))
    return invalid_argument(
        fmt::format("the value is {}, but the result is {}", literal.shape().to_string(), shape.to_string()));
  if (!splat) return op.builder.constant(literal);
  if (shape.element_count() == 1) return op.builder.constant(literal.reshaped(shape));
  return broadcast(op, op.builder.constant(literal), {}, shape);
}

Status translate_constant(const OpContext& op) {
  const Attribute* const value = op.find("value");
  if (value == nullptr) return op.missing("value");
  HILO_ASSIGN_OR_RETURN(const Shape shape, op.result_shape());
  HILO_ASSIGN_OR_RETURN(InstructionId id, add_constant(op, *value, shape));
  const bool is_size = op.tree().type_of(op.tree().result(op.operation, 0)).spelled.ends_with("index>") ||
                       op.tree().type_of(op.tree().result(op.operation, 0)).spelled == "index";
  if (op.translator.data_builder == &op.builder && !is_size) {
    HILO_ASSIGN_OR_RETURN(id, op.builder.add(Opcode::kOptimizationBarrier, {id}));
  }
  op.define(0, id);
  return ok_status();
}

/// HLO's broadcast doesn't expand dimensions of extent 1, so they are removed by a reshape first.
StatusOr<InstructionId> add_broadcast(const OpContext& op, InstructionId operand,
                                      const std::vector<int64_t>& dimensions, const Shape& result) {
  const Shape shape = op.builder.shape(operand);
  if (!shape.is_array() || std::ssize(dimensions) != shape.rank()) {
    return invalid_argument(
        fmt::format("broadcast_dimensions has {} entries for {}", dimensions.size(), shape.to_string()));
  }
  std::vector<int64_t> kept_sizes, kept_dimensions;
  bool stretched = false;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t size = shape.dimension(i);
    const bool in_range = dimensions[i] >= 0 && dimensions[i] < result.rank();
    if (in_range && size == 1 && result.dimension(dimensions[i]) != 1) {
      stretched = true;
      continue;
    }
    kept_sizes.push_back(size);
    kept_dimensions.push_back(dimensions[i]);
  }
  if (stretched) {
    HILO_ASSIGN_OR_RETURN(operand,
                          op.builder.add(Opcode::kReshape, {operand}, nullptr, shape.with_dimensions(kept_sizes)));
  }
  return broadcast(op, operand, std::move(kept_dimensions), result);
}

Status translate_broadcast(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape());
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions, op.integers("broadcast_dimensions"));
  HILO_ASSIGN_OR_RETURN(const InstructionId id, add_broadcast(op, operand, dimensions, result));
  op.define(0, id);
  return ok_status();
}

namespace {

/// Returns the comparison type if it differs from that of the elements (other signedness, or total order), otherwise
/// "".
/// Errors    INVALID_ARGUMENT for a kind that the element type doesn't have
StatusOr<std::string_view> stated_type(std::string_view kind, const Shape& shape) {
  const ElementType type = shape.element_type();
  const bool is_whole = is_integer(type), is_signed = is_signed_integer(type), floats = is_floating(type);
  if (kind == "TOTALORDER" && floats) return kind;
  if (is_whole && (kind == "SIGNED" || kind == "UNSIGNED")) return is_signed == (kind == "SIGNED") ? "" : kind;
  const bool own = kind.empty() || kind == "NOTYPE" || (kind == "UNSIGNED" && type == ElementType::kPred) ||
                   (kind == "FLOAT" && (floats || is_complex(type)));
  if (own) return std::string_view();
  return invalid_argument(fmt::format("compare_type {} is invalid for {}", kind, shape.to_string()));
}

}  // namespace

Status add_compare(const OpContext& op, InstructionIds operands) {
  if (operands.size() != 2) return invalid_argument(fmt::format("got {} operands, wanted 2", operands.size()));
  AttributeSetter attributes(Opcode::kCompare);
  HILO_RETURN_IF_ERROR(attributes.set_word("direction", op.text("comparison_direction")));
  const Shape& shape = op.builder.shape(operands[0]);
  if (shape.is_array()) {  // otherwise the shape rule rejects it
    HILO_ASSIGN_OR_RETURN(const std::string_view type, stated_type(op.text("compare_type"), shape));
    if (!type.empty()) HILO_RETURN_IF_ERROR(attributes.set_word("type", type));
  }
  return op.add(Opcode::kCompare, operands, attributes.take());
}

Status translate_compare(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(InstructionIds operands, op.operands());
  return add_compare(op, std::move(operands));
}

Status translate_select(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(InstructionIds operands, op.operands());
  HILO_ASSIGN_OR_RETURN(const Shape shape, op.result_shape());
  if (!operands.empty()) {
    HILO_ASSIGN_OR_RETURN(operands[0], spread_scalar(op, operands[0], shape));
  }
  return op.add(Opcode::kSelect, operands);
}

Status translate_slice(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, op.integers("start_indices"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> limits, op.integers("limit_indices"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> strides, op.integers("strides"));
  if (starts.size() != limits.size() || starts.size() != strides.size())
    return invalid_argument("start_indices, limit_indices and strides differ in length");
  auto attributes = std::make_shared<hlo::SliceAttributes>();
  for (size_t i = 0; i < starts.size(); ++i) attributes->ranges.push_back({starts[i], limits[i], strides[i]});
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kSlice, operands, std::move(attributes));
}

Status translate_pad(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> low, op.integers("edge_padding_low"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> high, op.integers("edge_padding_high"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> interior, op.integers("interior_padding"));
  if (low.size() != high.size() || low.size() != interior.size())
    return invalid_argument("edge_padding_low, edge_padding_high and interior_padding differ in length");
  auto attributes = std::make_shared<hlo::PadAttributes>();
  for (size_t i = 0; i < low.size(); ++i) attributes->padding.push_back({low[i], high[i], interior[i]});
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kPad, operands, std::move(attributes));
}

Status set_precision(const OpContext& op, hlo::DotAttributes& attributes) {
  const Attribute* const precision = op.find("precision_config");
  if (precision == nullptr || precision->kind != AttributeKind::kArray) return ok_status();
  const auto word = [&](AttributeId id) { return ascii_lower(op.tree().attributes[id].text); };
  const bool any = std::ranges::any_of(precision->elements, [&](AttributeId id) { return word(id) != "default"; });
  for (size_t i = 0; any && i < precision->elements.size(); ++i)
    attributes.operand_precision.push_back(word(precision->elements[i]));
  return ok_status();
}

namespace {

/// Returns the two operands. If their types differ, both are converted to the result's type, as XLA does for JAX's
/// programs.
StatusOr<InstructionIds> dot_operands(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(InstructionIds operands, op.operands());
  HILO_ASSIGN_OR_RETURN(const ElementType result, op.result_element());
  if (operands.size() != 2) return operands;
  const Shape left = op.builder.shape(operands[0]), right = op.builder.shape(operands[1]);
  if (left.element_type() == right.element_type() || !left.is_array() || !right.is_array()) return operands;
  for (InstructionId& operand : operands) {
    const Shape shape = op.builder.shape(operand);
    if (shape.element_type() == result) continue;
    HILO_ASSIGN_OR_RETURN(operand,
                          op.builder.add(Opcode::kConvert, {operand}, nullptr, shape.with_element_type(result)));
  }
  return operands;
}

}  // namespace

Status translate_dot(const OpContext& op) {
  auto attributes = std::make_shared<hlo::DotAttributes>();
  const std::vector<int64_t> none;
  HILO_ASSIGN_OR_RETURN(attributes->lhs_batch_dimensions, op.integers("lhs_batching_dimensions", none));
  HILO_ASSIGN_OR_RETURN(attributes->rhs_batch_dimensions, op.integers("rhs_batching_dimensions", none));
  HILO_ASSIGN_OR_RETURN(attributes->lhs_contracting_dimensions, op.integers("lhs_contracting_dimensions", none));
  HILO_ASSIGN_OR_RETURN(attributes->rhs_contracting_dimensions, op.integers("rhs_contracting_dimensions", none));
  HILO_RETURN_IF_ERROR(set_precision(op, *attributes));
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, dot_operands(op));
  return op.add(Opcode::kDot, operands, std::move(attributes));
}

/// Translates stablehlo.dot: contracts the last dimension of the left operand with the first of the right one.
Status translate_old_dot(const OpContext& op) {
  auto attributes = std::make_shared<hlo::DotAttributes>();
  HILO_ASSIGN_OR_RETURN(const InstructionId left, op.operand(0));
  const Shape shape = op.builder.shape(left);
  if (!shape.is_array() || shape.rank() == 0)
    return invalid_argument("the left operand is not an array of rank 1 or 2");
  attributes->lhs_contracting_dimensions = {shape.rank() - 1};
  attributes->rhs_contracting_dimensions = {0};
  HILO_RETURN_IF_ERROR(set_precision(op, *attributes));
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, dot_operands(op));
  return op.add(Opcode::kDot, operands, std::move(attributes));
}

hlo::AnnotationsPtr with_frontend_attributes(const OpContext& op, const FrontendAttributes& entries) {
  const hlo::AnnotationsPtr before = op.translator.annotations_of(op.operation.location);
  auto annotations =
      before == nullptr ? std::make_shared<hlo::Annotations>() : std::make_shared<hlo::Annotations>(*before);
  std::string text;
  for (const auto& [key, value] : entries) {
    text += text.empty() ? "{" : ",";
    text += fmt::format("{}=\"", key);
    for (char c : value) text += c == '"' ? std::string("\\\"") : std::string(1, c);
    text += '"';
  }
  annotations->frontend_attributes = text + "}";
  return annotations;
}

std::pair<std::string_view, std::string> sharding_attribute(std::string_view sharding) {
  return {"xla.sdy.sharding", fmt::format("#sdy.sharding{}", sharding)};
}

StatusOr<InstructionId> add_constraint(const OpContext& op, InstructionId value, std::string_view sharding) {
  if (!op.builder.shape(value).is_array()) return value;  // a token has no elements
  op.builder.set_annotations(with_frontend_attributes(op, {sharding_attribute(sharding)}));
  StatusOr<InstructionId> added = op.builder.add(Opcode::kCopy, {value});
  op.builder.set_annotations(op.translator.annotations_of(op.operation.location));
  return added;
}

/// Copies the value and marks it with its group, {hilo.group="3"}. Constants are copied, too, because otherwise each
/// user gets its own constant.
Status translate_sharding_group(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const int64_t group, op.integer("group_id"));
  HILO_ASSIGN_OR_RETURN(const InstructionId value, op.operand(0));
  op.builder.set_annotations(with_frontend_attributes(op, {{"hilo.group", fmt::to_string(group)}}));
  const StatusOr<InstructionId> copy = op.builder.add(Opcode::kCopy, {value}, nullptr);
  op.builder.set_annotations(op.translator.annotations_of(op.operation.location));
  HILO_RETURN_IF_ERROR(copy.status());
  op.translator.set(op.builder, op.tree().operand(op.operation, 0), *copy);
  return ok_status();
}

/// Shardy's own collectives move parts of an array between devices. The array as a whole doesn't change; only its
/// sharding does.
Status translate_sharding_constraint(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  const std::string_view key = op.find("sharding") != nullptr ? "sharding" : "out_sharding";
  if (op.find(key) == nullptr) return op.missing(key);
  HILO_ASSIGN_OR_RETURN(const std::vector<Sharding> shardings, parse_shardings(op.text(key)));
  if (shardings.size() != 1) return invalid_argument(fmt::format("{}: wanted one sharding", key));
  HILO_ASSIGN_OR_RETURN(const InstructionId id, add_constraint(op, operand, to_string(shardings[0])));
  op.define(0, id);
  return ok_status();
}

}  // namespace hilo::stablehlo
