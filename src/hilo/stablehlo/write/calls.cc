// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/top_k.h"
#include "hilo/hlo/text/annotations.h"
#include "hilo/hlo/text/composite.h"
#include "hilo/stablehlo/text/attributes.h"
#include "hilo/stablehlo/translate/calls.h"
#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

using hlo::ComputationPtr;

StatusOr<AttributeId> parse_attribute(ModuleTree& tree, std::string_view text) {
  TextReader reader{Cursor(text, "attribute"), tree, ValueNames(text.size())};
  HILO_ASSIGN_OR_RETURN(const AttributeId value, read_attribute(reader));
  if (!reader.cursor.at_end()) return reader.cursor.unexpected("the end", "after an attribute");
  return value;
}

namespace {

std::string_view without_quotes(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// Sets the fields of the operation `composite` from `{composite.name="f",...}`. Returns false if there is no name.
StatusOr<bool> put_composite(const WriteContext& context, std::string_view frontend, NewOperation& operation) {
  hlo::text::Cursor cursor(frontend, "frontend_attributes");
  HILO_ASSIGN_OR_RETURN(const auto entries, hlo::text::read_frontend_attributes(cursor));
  TreeBuilder& builder = context.builder();
  std::string_view name;
  int64_t version = 0;
  AttributeId values = kNone;
  for (const auto& [key, value] : entries) {
    if (key == "composite.name") name = without_quotes(value);
    if (key == "composite.version") version = std::strtoll(std::string(without_quotes(value)).c_str(), nullptr, 10);
    if (key == "composite.attributes") {
      HILO_ASSIGN_OR_RETURN(values, parse_attribute(builder.tree, value));
    }
  }
  if (name.empty()) return false;
  operation.name = "stablehlo.composite";
  builder.put(operation, "name", name);
  builder.put_attribute(operation, "composite_attributes", values == kNone ? builder.dictionary({}) : values);
  builder.put(operation, "version", version);
  return true;
}

/// Adds a call of `body`, or a composite if `frontend` names one.
Status add_call(const WriteContext& context, const ComputationPtr& body, std::string_view frontend) {
  NewOperation operation{"func.call", context.operands()};
  HILO_ASSIGN_OR_RETURN(operation.results, context.writer.leaf_types(context.instruction.shape));
  const std::string name = context.writer.function(body);
  bool is_composite = false;
  if (!frontend.empty()) {
    HILO_ASSIGN_OR_RETURN(is_composite, put_composite(context, frontend, operation));
  }
  context.builder().put(operation, is_composite ? "decomposition" : "callee", name);
  return context.add(operation);
}

}  // namespace

StatusOr<bool> write_call(const WriteContext& context) {
  const auto& call = context.attributes<hlo::CallAttributes>();
  const hlo::Annotations* const annotations = context.instruction.annotations.get();
  const bool composite = call.is_composite && annotations != nullptr;
  HILO_RETURN_IF_ERROR(
      add_call(context, call.to_apply, composite ? std::string_view(annotations->frontend_attributes) : ""));
  return true;
}

/// Writes extension ops as composites with their names; other ops with a decomposition as calls of it.
StatusOr<bool> write_decomposition(const WriteContext& context) {
  const hlo::OpDef& def = context.instruction.def();
  if (def.decompose == nullptr) return false;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < context.instruction.operands.size(); ++i) shapes.push_back(context.operand_shape(i));
  HILO_ASSIGN_OR_RETURN(const ComputationPtr body, def.decompose(context.instruction, shapes));
  std::string frontend;
  if ((def.traits & hlo::kExtension) != 0) {
    std::unordered_map<const hlo::Computation*, std::string> names;
    for (const ComputationPtr& called : hlo::called_computations(context.instruction))
      names.emplace(called.get(), context.writer.function(called));
    frontend =
        hlo::text::composite_attributes(context.instruction, [&](const hlo::Computation& c) { return names.at(&c); });
  }
  HILO_RETURN_IF_ERROR(add_call(context, body, frontend));
  return true;
}

namespace {

/// Returns [dense<[1, 0]> : tensor<2xindex>, ...], one per array.
AttributeId layouts(const WriteContext& context, std::span<const Shape> arrays, const hlo::Int64Lists& orders) {
  TreeBuilder& builder = context.builder();
  std::vector<AttributeId> elements;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const int64_t rank = arrays[i].is_array() ? arrays[i].rank() : 0;
    hlo::Int64List order = i < orders.size() ? orders[i] : hlo::Int64List();
    if (order.empty()) {
      for (int64_t d = rank; d-- > 0;) order.push_back(d);
    }
    const int64_t sizes[] = {std::ssize(order)};
    Attribute made;
    made.kind = AttributeKind::kElements;
    made.literal = builder.tree.keep(Literal::array<int64_t>(sizes, order));
    Type type;
    type.kind = TypeKind::kTensor;
    type.element = ElementType::kS64;
    type.dimensions = {sizes[0]};
    type.spelled = fmt::format("tensor<{}xindex>", sizes[0]);
    made.type = builder.add_type(std::move(type));
    elements.push_back(builder.tree.add(made));
  }
  return builder.tree.add_array(elements);
}

/// Converts {a="b"} to {a = "b"}.
StatusOr<AttributeId> frontend_dictionary(TreeBuilder& builder, std::string_view text) {
  hlo::text::Cursor cursor(text, "frontend_attributes");
  HILO_ASSIGN_OR_RETURN(const auto entries, hlo::text::read_frontend_attributes(cursor));
  std::vector<NamedAttribute> made;
  for (const auto& [key, value] : entries) {
    Cursor quoted(value, "frontend_attributes");
    StatusOr<std::string> inside =
        value.starts_with('"') ? quoted.quoted(key) : StatusOr<std::string>(std::string(value));
    if (!inside.ok()) return inside.status();
    made.push_back({key, builder.tree.add_text(AttributeKind::kString, *inside)});
  }
  return builder.dictionary(std::move(made));
}

constexpr std::string_view kTypedFfi = "API_VERSION_TYPED_FFI";

StatusOr<std::vector<ValueId>> custom_call_operands(const WriteContext& context) {
  std::vector<ValueId> operands;
  for (size_t i = 0; i < context.instruction.operands.size(); ++i) {
    const std::span<const ValueId> leaves = context.body.leaves(context.instruction.operands[i]);
    HILO_ASSIGN_OR_RETURN(const ValueId value, context.writer.pack(context.body, context.operand_shape(i),
                                                                   std::vector<ValueId>(leaves.begin(), leaves.end())));
    operands.push_back(value);
  }
  return operands;
}

Status put_custom_call(const WriteContext& context, const hlo::CustomCallOptions& options, NewOperation& operation) {
  const auto& call = context.attributes<hlo::CustomCallAttributes>();
  TreeBuilder& builder = context.builder();
  builder.put(operation, "call_target_name", options.target);
  builder.put(operation, "has_side_effect", options.has_side_effect ? 1 : 0);
  const std::string_view version = hlo::custom_call_text(call, "api_version");
  const auto known = std::ranges::find(kApiVersions, version);
  const bool original = known == std::end(kApiVersions) || version == kTypedFfi;  // mhlo.backend_config makes it typed
  builder.put(operation, "api_version", original ? 1 : known - std::begin(kApiVersions));
  if (version == kTypedFfi || call.backend_config.starts_with('{')) {  // not a quoted string
    HILO_ASSIGN_OR_RETURN(const AttributeId config, options.backend_config.empty()
                                                        ? StatusOr<AttributeId>(builder.dictionary({}))
                                                        : parse_attribute(builder.tree, options.backend_config));
    builder.put_attribute(operation, "mhlo.backend_config", config);
  } else {
    builder.put(operation, "backend_config", options.backend_config);
  }
  std::vector<AttributeId> called;
  for (const ComputationPtr& computation : call.called)
    called.push_back(builder.tree.add_text(AttributeKind::kSymbol, context.writer.function(computation)));
  if (!called.empty()) builder.put_attribute(operation, "called_computations", builder.tree.add_array(called));
  std::vector<Shape> operands;
  for (size_t i = 0; i < context.instruction.operands.size(); ++i) operands.push_back(context.operand_shape(i));
  if (!options.operand_layouts.empty() || !options.result_layouts.empty()) {
    const std::vector<Shape> results = context.instruction.shape.leaves();
    builder.put_attribute(operation, "operand_layouts", layouts(context, operands, options.operand_layouts));
    builder.put_attribute(operation, "result_layouts", layouts(context, results, options.result_layouts));
  }
  std::vector<AttributeId> aliases;
  for (const auto& [result, operand] : options.aliases) {
    std::vector<int64_t> path;
    if (context.instruction.shape.is_tuple()) path.push_back(result);
    aliases.push_back(builder.dictionary({{"output_tuple_indices", builder.tree.add_integers(path)},
                                          {"operand_index", builder.integer(operand)},
                                          {"operand_tuple_indices", builder.tree.add_integers({})}},
                                         "stablehlo.output_operand_alias"));
  }
  if (!aliases.empty()) builder.put_attribute(operation, "output_operand_aliases", builder.tree.add_array(aliases));
  const hlo::Annotations* const annotations = context.instruction.annotations.get();
  if (annotations != nullptr && annotations->frontend_attributes.size() > 2) {
    HILO_ASSIGN_OR_RETURN(const AttributeId frontend, frontend_dictionary(builder, annotations->frontend_attributes));
    builder.put_attribute(operation, "mhlo.frontend_attributes", frontend);
  }
  return ok_status();
}

}  // namespace

StatusOr<bool> write_custom_call(const WriteContext& context) {
  NewOperation operation{"stablehlo.custom_call"};
  HILO_ASSIGN_OR_RETURN(operation.operands, custom_call_operands(context));
  HILO_ASSIGN_OR_RETURN(operation.results, context.writer.leaf_types(context.instruction.shape));
  HILO_ASSIGN_OR_RETURN(const hlo::CustomCallOptions options,
                        hlo::custom_call_options(context.attributes<hlo::CustomCallAttributes>()));
  HILO_RETURN_IF_ERROR(put_custom_call(context, options, operation));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_top_k(const WriteContext& context) {
  const auto& top = context.attributes<hlo::TopKAttributes>();
  TreeBuilder& builder = context.builder();
  NewOperation operation{"chlo.top_k", context.operands()};
  HILO_ASSIGN_OR_RETURN(operation.results, context.writer.leaf_types(context.instruction.shape));
  if (!context.writer.portable && top.largest) {
    builder.put_attribute(operation, "k", builder.integer(top.k));
  } else {
    operation.name = "stablehlo.custom_call";
    builder.put(operation, "call_target_name", "mhlo.topk");
    const AttributeId values =
        builder.dictionary({{"k", builder.integer(top.k)}, {"largest", builder.boolean(top.largest)}});
    builder.put_attribute(operation, "mhlo.attributes", values);
    builder.put_attribute(operation, "mhlo.version", builder.integer(1));
  }
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

}  // namespace hilo::stablehlo
