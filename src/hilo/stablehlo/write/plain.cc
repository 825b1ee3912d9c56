// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/plain.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/random.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/stablehlo/translate/op_rows.h"
#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

using hlo::AttributeField;
using hlo::FieldKind;
using hlo::Opcode;

namespace {

const AttributeField* field_named(const hlo::OpDef& def, std::string_view name) {
  const auto found = std::ranges::find(def.attributes.fields, name, &AttributeField::name);
  return found == def.attributes.fields.end() ? nullptr : &*found;
}

/// Adds an HLO field as an attribute of StableHLO, depending on the kind of value.
Status put_field(const WriteContext& context, const FieldRow& row, NewOperation& operation) {
  const hlo::OpDef& def = context.instruction.def();
  const AttributeField* const field = field_named(def, row.hlo_name());
  if (field == nullptr)
    return internal_error(fmt::format("{} has no field '{}'; this is a bug in hilo", def.name, row.hlo_name()));
  const hlo::Attributes& attributes = *context.instruction.attributes;
  TreeBuilder& builder = context.builder();
  switch (field->kind) {
    case FieldKind::kInt64: builder.put(operation, row.name, hlo::field_value<int64_t>(*field, attributes)); break;
    case FieldKind::kBool: builder.put(operation, row.name, hlo::field_value<bool>(*field, attributes) ? 1 : 0); break;
    case FieldKind::kInt64List:
      builder.put(operation, row.name, hlo::field_value<hlo::Int64List>(*field, attributes));
      break;
    case FieldKind::kEnum:
      builder.put(operation, row.name, field->enum_names[hlo::field_value<uint8_t>(*field, attributes)]);
      break;
    case FieldKind::kDouble:
      builder.put_attribute(operation, row.name, builder.floating(hlo::field_value<double>(*field, attributes)));
      break;
    default: return internal_error(fmt::format("field '{}' is of a kind that rows don't have", row.hlo_name()));
  }
  return ok_status();
}

}  // namespace

StatusOr<bool> write_plain(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  for (const FieldRow& field : context.row->fields) {
    if (!field.name.empty()) HILO_RETURN_IF_ERROR(put_field(context, field, operation));
  }
  std::vector<hlo::ComputationPtr> regions;
  for (const std::string_view name : context.row->regions) {
    if (name.empty()) continue;
    const AttributeField* const field = field_named(context.instruction.def(), name);
    if (field == nullptr) return internal_error(fmt::format("no computation '{}'; this is a bug in hilo", name));
    regions.push_back(hlo::field_value<hlo::ComputationPtr>(*field, *context.instruction.attributes));
  }
  HILO_RETURN_IF_ERROR(context.add(operation, regions));
  return true;
}

namespace {

/// Converts an op of CHLO to the custom call that XLA recognizes in a portable artefact. atan has none and is written
/// as atan2(x, 1).
void make_portable(const WriteContext& context, NewOperation& operation) {
  TreeBuilder& builder = context.builder();
  if (context.instruction.opcode == Opcode::kAtan) {
    Attribute one;
    one.kind = AttributeKind::kElements;
    one.literal = builder.tree.keep(filled(Shape::scalar(context.instruction.shape.element_type()), 1));
    one.type = operation.results[0];
    NewOperation ones{"stablehlo.constant", {}, {}, operation.results};
    builder.put_attribute(ones, "value", builder.tree.add(one));
    operation.operands.push_back(context.writer.append(context.body, ones, 0)[0]);
    operation.name = "stablehlo.atan2";
    return;
  }
  builder.put(operation, "call_target_name", "mhlo" + operation.name.substr(4));
  operation.name = "stablehlo.custom_call";
  builder.put_attribute(operation, "mhlo.attributes", builder.dictionary({}));
  builder.put_attribute(operation, "mhlo.version", builder.integer(1));
}

}  // namespace

StatusOr<bool> write_elementwise(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  if (context.writer.portable && operation.name.starts_with("chlo.")) {
    if (hlo::is_extension(context.instruction.opcode)) return false;  // a composite
    make_portable(context, operation);
  }
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

/// A truth value is one bit in StableHLO but a byte in HLO, so its bits are converted by way of an 8-bit number.
StatusOr<bool> write_bitcast(const WriteContext& context) {
  const Shape &from = context.operand_shape(0), &to = context.instruction.shape;
  const bool from_truths = from.element_type() == ElementType::kPred;
  if (from_truths == (to.element_type() == ElementType::kPred)) return write_elementwise(context);
  HILO_ASSIGN_OR_RETURN(NewOperation last, context.operation());
  const Shape& truths = from_truths ? from : to;
  HILO_ASSIGN_OR_RETURN(const std::vector<TypeId> bytes,
                        context.writer.leaf_types(truths.with_element_type(ElementType::kU8)));
  NewOperation first{from_truths ? "stablehlo.convert" : last.name, last.operands, {}, bytes};
  last.operands = context.writer.append(context.body, first, context.writer.location(context.instruction));
  if (!from_truths) last.name = "stablehlo.convert";
  HILO_RETURN_IF_ERROR(context.add(last));
  return true;
}

StatusOr<bool> write_map(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  HILO_RETURN_IF_ERROR(put_field(context, {"dimensions"}, operation));
  const AttributeField* const body = field_named(context.instruction.def(), "to_apply");
  const auto& to_apply = hlo::field_value<hlo::ComputationPtr>(*body, *context.instruction.attributes);
  HILO_RETURN_IF_ERROR(context.add(operation, std::span(&to_apply, 1)));
  return true;
}

StatusOr<bool> write_constant(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  const Literal& value = context.attributes<hlo::ConstantAttributes>().value;
  if (value.is_tuple() || !value.shape().is_array()) return unimplemented("a constant that is not an array");
  context.builder().put_attribute(operation, "value", context.builder().elements(value));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_broadcast(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  context.builder().put(operation, "broadcast_dimensions", context.attributes<hlo::BroadcastAttributes>().dimensions);
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_compare(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  TreeBuilder& builder = context.builder();
  const ElementType type = context.operand_shape(0).element_type();
  std::string_view kind = is_signed_integer(type)                 ? "SIGNED"
                          : is_floating(type) || is_complex(type) ? "FLOAT"
                                                                  : "UNSIGNED";
  for (const AttributeField& field : context.instruction.def().attributes.fields) {
    const std::string_view word = field.enum_names[hlo::field_value<uint8_t>(field, *context.instruction.attributes)];
    if (field.name == "direction") builder.put(operation, "comparison_direction", word);
    else if ((word == "TOTALORDER" && is_floating(type)) || (word.ends_with("SIGNED") && is_integer(type))) kind = word;
  }
  builder.put(operation, "compare_type", kind);
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_slice(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  std::vector<int64_t> starts, limits, strides;
  for (const hlo::SliceRange& range : context.attributes<hlo::SliceAttributes>().ranges) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
  }
  context.builder().put(operation, "start_indices", std::move(starts));
  context.builder().put(operation, "limit_indices", std::move(limits));
  context.builder().put(operation, "strides", std::move(strides));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_pad(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  std::vector<int64_t> low, high, interior;
  for (const hlo::PaddingDimension& padding : context.attributes<hlo::PadAttributes>().padding) {
    low.push_back(padding.low);
    high.push_back(padding.high);
    interior.push_back(padding.interior);
  }
  context.builder().put(operation, "edge_padding_low", std::move(low));
  context.builder().put(operation, "edge_padding_high", std::move(high));
  context.builder().put(operation, "interior_padding", std::move(interior));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

AttributeId precisions(TreeBuilder& builder, const hlo::StringList& words) {
  std::vector<AttributeId> elements;
  for (size_t i = 0; i < 2; ++i)
    elements.push_back(
        builder.tree.add_text(AttributeKind::kWord, i < words.size() ? ascii_upper(words[i]) : "DEFAULT"));
  return builder.tree.add_array(elements);
}

StatusOr<bool> write_dot(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  const auto& dot = context.attributes<hlo::DotAttributes>();
  TreeBuilder& builder = context.builder();
  builder.put(operation, "lhs_batching_dimensions", dot.lhs_batch_dimensions);
  builder.put(operation, "rhs_batching_dimensions", dot.rhs_batch_dimensions);
  builder.put(operation, "lhs_contracting_dimensions", dot.lhs_contracting_dimensions);
  builder.put(operation, "rhs_contracting_dimensions", dot.rhs_contracting_dimensions);
  builder.put_attribute(operation, "precision_config", precisions(builder, dot.operand_precision));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

namespace {

/// Converts HLO's "rng_uniform" to UNIFORM.
std::string word_of(const WriteContext& context, std::string_view name) {
  const AttributeField* const field = field_named(context.instruction.def(), name);
  return ascii_upper(field->enum_names[hlo::field_value<uint8_t>(*field, *context.instruction.attributes)].substr(4));
}

}  // namespace

/// StableHLO's rng also has its shape as an operand.
StatusOr<bool> write_random(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  TreeBuilder& builder = context.builder();
  const std::span<const int64_t> sizes = context.instruction.shape.dimensions();
  const int64_t rank[] = {std::ssize(sizes)};
  const Literal value = Literal::array<int64_t>(rank, sizes);
  NewOperation shape{"stablehlo.constant", {}, {}, {builder.type(value.shape())}};
  builder.put_attribute(shape, "value", builder.elements(value));
  operation.operands.push_back(context.writer.append(context.body, shape, 0)[0]);
  builder.put(operation, "rng_distribution", word_of(context, "distribution"));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_random_bits(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  context.builder().put(operation, "rng_algorithm", word_of(context, "algorithm"));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

}  // namespace hilo::stablehlo
