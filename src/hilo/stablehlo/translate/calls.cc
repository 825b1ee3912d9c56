// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/text/lexer.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/data.h"
#include "hilo/stablehlo/translate/plain.h"
#include "hilo/stablehlo/translate/refined.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/tree/print_attribute.h"

namespace hilo::stablehlo {

using hlo::ComputationPtr;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Adds a call of `callee`, whose results become the operation's results.
Status add_call(const OpContext& op, std::string_view callee, bool is_composite) {
  if (op.translator.refines()) return inline_call(op, callee);
  auto attributes = std::make_shared<hlo::CallAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, op.translator.function(callee));
  attributes->is_composite = is_composite;
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kCall, operands, std::move(attributes));
}

/// Adds frontend attributes (text in braces) to the annotations of the operation's location.
void annotate(const OpContext& op, const std::string& frontend_attributes) {
  if (frontend_attributes.empty()) return;
  const hlo::AnnotationsPtr before = op.translator.annotations_of(op.operation.location);
  auto annotations =
      before == nullptr ? std::make_shared<hlo::Annotations>() : std::make_shared<hlo::Annotations>(*before);
  annotations->frontend_attributes = frontend_attributes;
  op.builder.set_annotations(std::move(annotations));
}

/// Adds the shardings of an attribute to the values. Without that attribute they are unchanged.
Status state_shardings(const OpContext& op, std::string_view name, std::vector<InstructionId>& values) {
  if (op.find(name) == nullptr) return ok_status();
  HILO_ASSIGN_OR_RETURN(const std::vector<Sharding> shardings, parse_shardings(op.text(name)));
  if (shardings.size() != values.size())
    return invalid_argument(fmt::format("{} has {} entries; wanted {}", name, shardings.size(), values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(values[i], add_constraint(op, values[i], to_string(shardings[i])));
  }
  return ok_status();
}

}  // namespace

Status translate_call(const OpContext& op) { return add_call(op, op.text("callee"), false); }

/// Translates sdy.named_computation: inlines its body and states the shardings of its inputs and outputs.
Status translate_named_computation(const OpContext& op) {
  if (op.operation.regions.count != 1) return invalid_argument("wanted a body");
  const Region& body = op.tree().regions[op.operation.regions.begin];
  if (body.arguments.count != op.operation.operands.count)
    return invalid_argument("the body's arguments don't match the operands");
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  std::vector<InstructionId> values(operands.begin(), operands.end()), results;
  HILO_RETURN_IF_ERROR(state_shardings(op, "in_shardings", values));
  for (uint32_t i = 0; i < body.arguments.count; ++i)
    op.translator.set(op.builder, body.arguments.begin + i, values[i]);
  HILO_RETURN_IF_ERROR(op.translator.translate_block(op.builder, body, results));
  if (results.size() != op.operation.results.count)
    return invalid_argument("the body returns another number of values");
  HILO_RETURN_IF_ERROR(state_shardings(op, "out_shardings", results));
  for (uint32_t i = 0; i < results.size(); ++i) op.define(i, results[i]);
  return ok_status();
}

Status translate_composite(const OpContext& op) {
  const std::string_view name = op.text("name");
  // An op of CHLO is translated directly, not by its decomposition in the file.
  if (const OpRow* row = find_row(name); row != nullptr && name.starts_with("chlo.")) {
    return row->translate(OpContext{op.translator, op.builder, op.operation, *row});
  }
  HILO_ASSIGN_OR_RETURN(const bool restored, restore_extension(op, name));
  if (restored) return ok_status();
  const Attribute* const values = op.find("composite_attributes");
  const Attribute* const version = op.find("version");
  std::string text = "{";
  text += fmt::format("composite.attributes={},", values == nullptr ? "{}" : print_attribute(op.tree(), *values));
  text += fmt::format("composite.name={},composite.version=\"{}\"}}", hlo::text::quoted_text(name),
                      version == nullptr ? 0 : version->integer);
  annotate(op, text);
  return add_call(op, op.text("decomposition"), true);
}

namespace {

/// Returns "f32[4,4]{0,1}": the required layouts of a custom call's operands.
StatusOr<std::string> layout_constraints(const OpContext& op, const Attribute& layouts) {
  std::string text;
  if (layouts.elements.size() != op.operation.operands.count)
    return invalid_argument(fmt::format("operand_layouts has {} entries", layouts.elements.size()));
  for (uint32_t i = 0; i < op.operand_count(); ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(i));
    const Shape shape = op.builder.shape(operand);
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> order,
                          integers_of(op.tree(), op.tree().attributes[layouts.elements[i]]));
    text += fmt::format("{}{}", text.empty() ? "" : ", ", shape.to_string());
    if (shape.is_array() && std::ssize(order) == shape.rank() && !order.empty()) {
      text += '{';
      for (size_t d = 0; d < order.size(); ++d) text += fmt::format("{}{}", d == 0 ? "" : ",", order[d]);
      text += '}';
    }
  }
  return "{" + text + "}";
}

std::string indices_text(const std::vector<int64_t>& indices) {
  std::string text = "{";
  for (size_t i = 0; i < indices.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", indices[i]);
  return text + "}";
}

/// Returns "{{0}: (0, {}), ...}".
StatusOr<std::string> aliases_text(const OpContext& op, const Attribute& aliases) {
  std::string text;
  for (AttributeId id : aliases.elements) {
    const Attribute& alias = op.tree().attributes[id];
    const Attribute* const output = op.tree().find(alias, "output_tuple_indices");
    const Attribute* const operand = op.tree().find(alias, "operand_index");
    const Attribute* const inside = op.tree().find(alias, "operand_tuple_indices");
    if (output == nullptr || operand == nullptr || inside == nullptr) return op.missing("output_operand_alias");
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> output_indices, integers_of(op.tree(), *output));
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> inside_indices, integers_of(op.tree(), *inside));
    text += fmt::format("{}{}: ({}, {})", text.empty() ? "" : ", ", indices_text(output_indices), operand->integer,
                        indices_text(inside_indices));
  }
  return "{" + text + "}";
}

/// Returns the frontend attributes: {num_batch_dims="0"} for {num_batch_dims = "0"}. A call with a registered
/// partitioner also gets the number of its operation and its sharding rule. A call with a batch gets the number of
/// batch dimensions.
std::string frontend_text(const OpContext& op, std::string_view target) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, hlo::text::quoted_text(value));
  };
  const auto is_in = [&](const std::vector<std::string>& targets) {
    return std::ranges::find(targets, target) != targets.end();
  };
  const TranslateOptions& options = op.translator.options;
  if (const Attribute* const frontend = op.find("mhlo.frontend_attributes"); frontend != nullptr) {
    for (const NamedAttribute& entry : frontend->entries) {
      const std::string_view value = op.tree().attributes[entry.value].text;
      add(entry.name, value);
      if (entry.name == "num_batch_dims" && is_in(options.batched_targets)) add("hilo.batch_dims", value);
    }
  }
  if (is_in(options.partitioned_targets)) add("hilo.operation", fmt::to_string(op.id()));
  if (const Attribute* const rule = op.find("sdy.sharding_rule"); rule != nullptr)
    add("xla.sdy.sharding_rule", rule->text);
  return text.empty() ? text : "{" + text + "}";
}

/// Returns a dictionary in MLIR's format, or a quoted string.
std::string backend_config_text(const OpContext& op) {
  const Attribute* config = op.find("mhlo.backend_config");
  if (config == nullptr) config = op.find("backend_config");
  if (config == nullptr) return {};
  if (config->kind == AttributeKind::kString) return config->text.empty() ? "" : hlo::text::quoted_text(config->text);
  return config->entries.empty() ? "" : print_attribute(op.tree(), *config);
}

/// Returns the layouts of all results if one of them isn't row-major.
StatusOr<hlo::Int64Lists> result_layouts(const OpContext& op) {
  hlo::Int64Lists layouts;
  bool plain = true;
  const Attribute* const list = op.find("result_layouts");
  if (list == nullptr) return layouts;
  for (AttributeId id : list->elements) {
    HILO_ASSIGN_OR_RETURN(std::vector<int64_t> layout, integers_of(op.tree(), op.tree().attributes[id]));
    plain &= std::is_sorted(layout.rbegin(), layout.rend());
    layouts.push_back(std::move(layout));
  }
  return plain ? hlo::Int64Lists() : layouts;
}

Status add_custom_call(const OpContext& op, std::string_view target) {
  AttributeSetter attributes(Opcode::kCustomCall);
  HILO_RETURN_IF_ERROR(attributes.set_text("custom_call_target", hlo::text::quoted_text(target)));
  if (const Attribute* layouts = op.find("operand_layouts"); layouts != nullptr && !layouts->elements.empty()) {
    HILO_ASSIGN_OR_RETURN(const std::string text, layout_constraints(op, *layouts));
    HILO_RETURN_IF_ERROR(attributes.set_text("operand_layout_constraints", text));
  }
  if (op.flag("has_side_effect")) HILO_RETURN_IF_ERROR(attributes.set_flag("custom_call_has_side_effect", true));
  HILO_ASSIGN_OR_RETURN(int64_t version, op.integer("api_version", 1));
  if (version == 1 && op.find("mhlo.backend_config") != nullptr) version = kTypedApiVersion;  // as XLA does
  if (version < 0 || version >= std::ssize(kApiVersions))
    return unimplemented(fmt::format("api_version {}; wanted 1 to 4", version));
  if (version > 1) HILO_RETURN_IF_ERROR(attributes.set_word("api_version", kApiVersions[version]));
  if (const Attribute* aliases = op.find("output_operand_aliases"); aliases != nullptr && !aliases->elements.empty()) {
    HILO_ASSIGN_OR_RETURN(const std::string text, aliases_text(op, *aliases));
    HILO_RETURN_IF_ERROR(attributes.set_text("output_to_operand_aliasing", text));
  }
  if (const Attribute* called = op.find("called_computations"); called != nullptr && !called->elements.empty()) {
    std::vector<ComputationPtr> computations;
    for (AttributeId id : called->elements) {
      HILO_ASSIGN_OR_RETURN(ComputationPtr computation, op.translator.function(op.tree().attributes[id].text));
      computations.push_back(std::move(computation));
    }
    HILO_RETURN_IF_ERROR(attributes.set_computations("called_computations", std::move(computations)));
  }
  auto call =
      std::make_shared<hlo::CustomCallAttributes>(static_cast<const hlo::CustomCallAttributes&>(*attributes.take()));
  call->backend_config = backend_config_text(op);
  HILO_ASSIGN_OR_RETURN(call->result_layouts, result_layouts(op));
  annotate(op, frontend_text(op, target));
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kCustomCall, operands, std::move(call));
}

}  // namespace

namespace {

/// Translates a custom call that XLA writes for HLO's topk.
Status translate_top_k_call(const OpContext& op) {
  const Attribute* const values = op.find("mhlo.attributes");
  if (values == nullptr) return op.missing("mhlo.attributes");
  AttributeSetter attributes(Opcode::kTopK);
  const Attribute* const k = op.tree().find(*values, "k");
  if (k == nullptr) return op.missing("k");
  const Attribute* const largest = op.tree().find(*values, "largest");
  HILO_RETURN_IF_ERROR(attributes.set("k", k->integer));
  HILO_RETURN_IF_ERROR(attributes.set_flag("largest", largest == nullptr || largest->integer != 0));
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kTopK, operands, attributes.take());
}

}  // namespace

Status translate_custom_call(const OpContext& op) {
  if (op.find("indices_of_shape_operands") != nullptr && op.operand_limit > op.operation.operands.count) {
    HILO_ASSIGN_OR_RETURN(const OpContext inner, without_shape_operands(op));
    return translate_custom_call(inner);
  }
  if (const auto* const partitions = op.translator.options.partitions; partitions != nullptr) {
    if (const auto found = partitions->find(op.id()); found != partitions->end())
      return translate_partitioned_call(op, found->second)
          .with_context(fmt::format("@{}", op.text("call_target_name")));
  }
  const std::string_view target = op.text("call_target_name");
  if (target.starts_with("check.")) return translate_check(op);
  if (target == "shape_assertion" && op.translator.refines()) return check_shape_assertion(op);
  const bool is_kept_sink = target == kSink && op.translator.options.keeps_sinks;
  if (const Handler known = known_custom_call(target); known != nullptr && !is_kept_sink) return known(op);
  if (target == "mhlo.topk") return translate_top_k_call(op);
  if (target.starts_with("mhlo.")) {  // an op of CHLO in a portable artefact
    const OpRow* const row = find_row(fmt::format("chlo.{}", target.substr(5)));
    if (row != nullptr) return row->translate(OpContext{op.translator, op.builder, op.operation, *row});
  }
  return add_custom_call(op, target);
}

Status translate_probe(const OpContext& op) {
  HILO_RETURN_IF_ERROR(translate_identity(op));
  HILO_ASSIGN_OR_RETURN(const InstructionId value, op.operand(0));
  if (op.translator.recordings != nullptr) {
    for (Recording& r : *op.translator.recordings) {
      if (r.probe == op.text("probe_id")) r.seen = value;
    }
  }
  if (op.translator.entry_builder != &op.builder) return ok_status();
  op.translator.probes[op.text("probe_id")].push_back(value);
  return ok_status();
}

namespace {

/// Returns the value that the named probe has recorded.
StatusOr<InstructionId> probed(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const int64_t iteration, op.integer("iter", 0));
  const auto found = op.translator.probes.find(op.text("probe_id"));
  if (found == op.translator.probes.end() || iteration < 0 || iteration >= std::ssize(found->second))
    return unimplemented(fmt::format("probe '{}' must precede the check, outside of regions", op.text("probe_id")));
  return found->second[iteration];
}

}  // namespace

Status translate_check(const OpContext& op) {
  if (op.translator.options.checks == nullptr)
    return unimplemented("checks can't be part of a program. Hint: hilo check runs them");
  if (op.translator.entry_builder != &op.builder) return unimplemented("a check inside a called function or a region");
  Check check;
  check.operation = op.operation.name;
  if (check.operation == "stablehlo.custom_call") check.operation = op.text("call_target_name");
  const std::string_view kind = check.operation;
  if (kind == "check.expect_eq" || kind == "check.expect_eq_const") check.kind = CheckKind::kEqual;
  else if (kind == "check.expect_almost_eq" || kind == "check.expect_almost_eq_const")
    check.kind = CheckKind::kAlmostEqual;
  else if (kind == "check.expect_close") check.kind = CheckKind::kClose;
  else if (kind != "check.expect_serialized_eq") return unimplemented("this check is not supported");
  if (const Attribute* tolerance = op.find("tolerance")) {
    const bool is_whole = tolerance->kind == AttributeKind::kInteger;
    check.tolerance = is_whole ? static_cast<double>(tolerance->integer) : tolerance->number;
  }
  HILO_ASSIGN_OR_RETURN(check.min_ulp, op.integer("min_ulp_difference", check.min_ulp));
  HILO_ASSIGN_OR_RETURN(check.max_ulp, op.integer("max_ulp_difference", check.max_ulp));
  std::vector<InstructionId>& checked = op.translator.checked;
  HILO_ASSIGN_OR_RETURN(const InstructionId actual, op.operand(0));
  check.actual = checked.size();
  checked.push_back(actual);
  InstructionId expected;
  if (kind.ends_with("_const")) {
    const Attribute* const value = op.find("value");
    if (value == nullptr) return op.missing("value");
    HILO_ASSIGN_OR_RETURN(expected, add_constant(op, *value, op.builder.shape(actual)));
  } else if (kind == "check.expect_serialized_eq") {
    HILO_ASSIGN_OR_RETURN(expected, probed(op));
  } else {
    HILO_ASSIGN_OR_RETURN(expected, op.operand(1));
  }
  check.expected = checked.size();
  checked.push_back(expected);
  op.translator.options.checks->push_back(std::move(check));
  return ok_status();
}

}  // namespace hilo::stablehlo
