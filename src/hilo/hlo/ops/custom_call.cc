// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/custom_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "hilo/base/text.h"
#include "hilo/hlo/ir/frontend_attribute.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kCustomCallFields[] = {
    HILO_RAW_ATTRIBUTE_FIELDS,
    field<&CustomCallAttributes::backend_config>("backend_config", FieldShow::kUnlessDefault),
    field<&CustomCallAttributes::result_layouts>("result_layouts", FieldShow::kUnlessDefault),
};

StatusOr<Shape> infer_custom_call(const ShapeRuleInput& input) {
  if (!input.declared) return invalid_argument("the result's shape must be stated: a custom call's can't be inferred");
  return *input.declared;
}

/// Returns the value of attribute `key` as written; "" if it is missing.
std::string_view raw_value(const CustomCallAttributes& attributes, std::string_view key) {
  for (std::string_view text : attributes.raw) {
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos && trimmed(text.substr(0, equals)) == key)
      return trimmed(text.substr(equals + 1));
  }
  return {};
}

/// Returns the contents of a quoted string.
std::string unquoted(std::string_view text) {
  if (!text.starts_with('"') || text.size() < 2) return std::string(text);
  std::string value;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != '\\' || i + 2 == text.size()) {
      value += text[i];
      continue;
    }
    const char escaped = text[++i];
    unsigned byte = 0;
    if (escaped == 'n' || escaped == 't' || escaped == 'r') {
      value += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : '\r';
    } else if (i + 3 < text.size() && std::from_chars(&text[i], &text[i] + 3, byte, 8).ptr == &text[i] + 3) {
      value += static_cast<char>(byte);
      i += 2;
    } else {
      value += escaped;
    }
  }
  return value;
}

/// Reads the numbers of `text` from `at` on, and sets `at` to the byte after them.
Int64List numbers_at(std::string_view text, size_t& at) {
  Int64List numbers;
  while (at < text.size()) {
    if (text[at] == ',' || text[at] == ' ') {
      ++at;
      continue;
    }
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    at = end - text.data();
  }
  return numbers;
}

/// Returns the layouts in `{f32[4,4]{0,1}, s32[]}`, one per leaf; an empty list for a leaf without one.
Int64Lists layouts_in(std::string_view text) {
  Int64Lists layouts;
  for (size_t at = text.find(']'); at != std::string_view::npos; at = text.find(']', at)) {
    layouts.emplace_back();
    if (++at < text.size() && text[at] == '{') layouts.back() = numbers_at(text, ++at);
  }
  return layouts;
}

/// Reads `{{0}: (1, {}), {1}: (2, {})}` as pairs of result leaf and operand leaf. Longer paths are an error.
StatusOr<Int64Pairs> aliases_in(std::string_view text) {
  Int64Pairs aliases;
  size_t at = text.empty() ? std::string_view::npos : text.find('{', 1);
  while (at != std::string_view::npos) {
    const Int64List result = numbers_at(text, ++at);
    const size_t operand_at = text.find('(', at);
    if (operand_at == std::string_view::npos) break;
    at = operand_at + 1;
    const Int64List operand = numbers_at(text, at);
    const size_t path_at = text.find('{', at);
    if (path_at == std::string_view::npos) break;
    at = path_at + 1;
    if (result.size() > 1 || operand.size() != 1 || !numbers_at(text, at).empty())
      return unimplemented(fmt::format("output_to_operand_aliasing={}: wanted elements of a flat tuple", text));
    aliases.emplace_back(result.empty() ? 0 : result[0], operand[0]);
    at = text.find('{', at + 1);
  }
  return aliases;
}

/// Returns `leaves` with those of the layouts that aren't empty.
StatusOr<std::vector<Shape>> laid_out(std::vector<Shape> leaves, const Int64Lists& layouts, std::string_view what) {
  if (layouts.empty()) return leaves;
  if (layouts.size() != leaves.size())
    return invalid_argument(fmt::format("{}: got {} layouts for {} arrays", what, layouts.size(), leaves.size()));
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (layouts[k].empty() || !leaves[k].is_array()) continue;
    Int64List sorted = layouts[k];
    std::ranges::sort(sorted);
    bool permutation = std::ssize(sorted) == leaves[k].rank();
    for (size_t d = 0; d < sorted.size(); ++d) permutation &= sorted[d] == static_cast<int64_t>(d);
    if (!permutation) {
      return invalid_argument(
          fmt::format("{}: {{{}}} is not a layout of {}", what, fmt::join(layouts[k], ","), leaves[k].to_string()));
    }
    leaves[k] = leaves[k].with_layout(layouts[k]);
  }
  return leaves;
}

std::vector<Shape> leaves_of(std::span<const Shape> shapes) {
  std::vector<Shape> leaves;
  for (const Shape& shape : shapes) {
    for (const Shape& leaf : shape.leaves()) leaves.push_back(leaf.is_array() ? leaf.with_default_layout() : leaf);
  }
  return leaves;
}

std::string layouts_text(std::span<const Shape> leaves, const Int64Lists& layouts) {
  std::string text = "{";
  for (size_t k = 0; k < leaves.size(); ++k) {
    const bool own = !layouts.empty() && !layouts[k].empty();
    text += (k == 0 ? "" : ", ") + (own ? leaves[k].with_layout(layouts[k]) : leaves[k]).to_string_with_layout();
  }
  return text + "}";
}

std::string aliases_text(const Int64Pairs& aliases, size_t result_count) {
  std::string text = "{";
  for (const auto& [result, operand] : aliases) {
    text += fmt::format("{}{{{}}}: ({}, {{}})", text.size() == 1 ? "" : ", ",
                        result_count == 1 ? "" : std::to_string(result), operand);
  }
  return text + "}";
}

StatusOr<Literal> evaluate(const EvaluateInput& input) {
  std::vector<Shape> shapes;
  std::vector<const Literal*> pending(input.operands.rbegin(), input.operands.rend()), leaves;
  for (const Literal* operand : input.operands) shapes.push_back(operand->shape());
  while (!pending.empty()) {
    const Literal* const next = pending.back();
    pending.pop_back();
    if (!next->is_tuple()) leaves.push_back(next);
    for (size_t k = next->elements().size(); k-- > 0;) pending.push_back(&next->elements()[k]);
  }
  HILO_ASSIGN_OR_RETURN(const CustomCallPlan plan, plan_custom_call(input.instruction, shapes));
  std::vector<void*> operands, results;
  for (const Literal* leaf : leaves) operands.push_back(const_cast<std::byte*>(leaf->bytes().data()));
  std::vector<Literal> values;
  for (const Shape& shape : plan.results) {
    HILO_ASSIGN_OR_RETURN(Literal value, Literal::make(shape.is_array() ? literal_shape(shape) : shape));
    values.push_back(std::move(value));
  }
  for (Literal& value : values) results.push_back(value.mutable_bytes().data());
  HILO_RETURN_IF_ERROR(run_custom_call(plan, operands.data(), results.data()));
  return input.instruction.shape.is_tuple() ? Literal::tuple(std::move(values)) : std::move(values[0]);
}

/// Returns the number of leading batch dimensions, if the call states it: {hilo.batch_dims="1"}.
std::optional<int64_t> stated_batch(const Instruction& call) {
  const std::optional<int64_t> count = frontend_number(call, "hilo.batch_dims");
  return count && *count >= 0 ? count : std::nullopt;
}

/// Calls of LAPACK and those built like them have batches of matrices, and possibly vectors, as operands. For other
/// calls the batch is unknown unless they state it.
void custom_call_rule(RuleBuilder& builder) {
  const std::string target = custom_call_target(attributes_of<CustomCallAttributes>(builder.instruction));
  const bool known = target.starts_with("lapack_") || target == "tridiagonal_solve_perturbed_ffi";
  const std::optional<int64_t> stated = stated_batch(builder.instruction);
  if ((!known && !stated) || builder.operands.empty() || !builder.operands[0].is_array()) return;
  int64_t rank = 2;
  for (const Shape& operand : builder.operands) rank = std::max(rank, operand.is_array() ? operand.rank() : 0);
  const int64_t count = std::min(stated.value_or(rank - 2), builder.operands[0].rank());
  batched_rule(count, builder);
}

/// LAPACK's calls with the typed FFI derive sizes from their arrays, and so do calls that state their batch. Other
/// calls may have sizes in their attributes.
void custom_call_on_parts(LocalBuilder& builder) {
  const std::string target = custom_call_target(attributes_of<CustomCallAttributes>(builder.instruction));
  if (target.ends_with("_ffi") || stated_batch(builder.instruction)) passing_factors(builder);
}

}  // namespace

HILO_DEFINE_OP(custom_call_op, {.opcode = Opcode::kCustomCall,
                                .name = "custom-call",
                                .arity = -1,
                                .operand_types = kAnyType,
                                .traits = kEffect,  // a handler may have any effect
                                .cost = CostClass::kHero,
                                .sharding = {custom_call_rule, custom_call_on_parts},
                                .infer_shape = infer_custom_call,
                                .attributes = attributes_def<CustomCallAttributes>(kCustomCallFields),
                                .evaluate = evaluate,
                                .spec = "custom_call"})

std::shared_ptr<const CustomCallAttributes> make_custom_call(const CustomCallOptions& options,
                                                             std::span<const Shape> operands, size_t result_count) {
  auto attributes = std::make_shared<CustomCallAttributes>();
  attributes->raw.push_back(fmt::format("custom_call_target=\"{}\"", options.target));
  if (options.has_side_effect) attributes->raw.push_back("custom_call_has_side_effect=true");
  if (!options.operand_layouts.empty()) {
    attributes->raw.push_back("operand_layout_constraints=" +
                              layouts_text(leaves_of(operands), options.operand_layouts));
  }
  if (!options.aliases.empty())
    attributes->raw.push_back("output_to_operand_aliasing=" + aliases_text(options.aliases, result_count));
  attributes->raw.push_back("api_version=API_VERSION_TYPED_FFI");
  attributes->backend_config = options.backend_config;
  attributes->result_layouts = options.result_layouts;
  return attributes;
}

std::string_view custom_call_text(const CustomCallAttributes& attributes, std::string_view key) {
  return raw_value(attributes, key);
}

StatusOr<CustomCallOptions> custom_call_options(const CustomCallAttributes& attributes) {
  CustomCallOptions options{custom_call_target(attributes), unquoted(attributes.backend_config)};
  options.has_side_effect = raw_value(attributes, "custom_call_has_side_effect") == "true";
  options.operand_layouts = layouts_in(raw_value(attributes, "operand_layout_constraints"));
  options.result_layouts = attributes.result_layouts;
  HILO_ASSIGN_OR_RETURN(options.aliases, aliases_in(raw_value(attributes, "output_to_operand_aliasing")));
  return options;
}

std::string custom_call_target(const CustomCallAttributes& attributes) {
  return unquoted(raw_value(attributes, "custom_call_target"));
}

void take_result_layouts(Shape& shape, CustomCallAttributes& attributes) {
  attributes.result_layouts.clear();
  bool plain = true;
  for (const Shape& leaf : shape.leaves()) {
    Int64List& layout = attributes.result_layouts.emplace_back();
    if (!leaf.is_array()) continue;
    layout.assign(leaf.minor_to_major().begin(), leaf.minor_to_major().end());
    plain &= leaf.has_default_layout();
  }
  if (plain) attributes.result_layouts.clear();
  else shape = shape.map_leaves([](const Shape& leaf) { return leaf.with_default_layout(); });
}

Shape shown_shape(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kCustomCall || instruction.attributes == nullptr) return instruction.shape;
  const std::vector<Shape> leaves = instruction.shape.leaves();
  Int64Lists layouts = attributes_of<CustomCallAttributes>(instruction).result_layouts;
  if (layouts.size() != leaves.size()) return instruction.shape;
  size_t next = 0;
  return instruction.shape.map_leaves([&](const Shape& leaf) {
    while (!leaves[next].is_array()) ++next;  // map_leaves skips tokens
    const Int64List& layout = layouts[next++];
    return layout.empty() || std::ssize(layout) != leaf.rank() ? leaf : leaf.with_layout(layout);
  });
}

StatusOr<CustomCallPlan> plan_custom_call(const Instruction& instruction, std::span<const Shape> operands) {
  const auto& attributes = attributes_of<CustomCallAttributes>(instruction);
  CustomCallPlan plan;
  plan.target = custom_call_target(attributes);
  HILO_ASSIGN_OR_RETURN(plan.handler, find_custom_call(plan.target));
  plan.backend_config = unquoted(attributes.backend_config);
  const bool typed = raw_value(attributes, "api_version") == "API_VERSION_TYPED_FFI";
  if (plan.backend_config.starts_with('{') || (typed && !plan.backend_config.empty())) {
    StatusOr<std::vector<CustomCallAttribute>> entries = parse_custom_call_attributes(plan.backend_config);
    if (!entries.ok() && typed) return entries.status();
    if (entries.ok()) plan.attributes = *std::move(entries);
  }
  HILO_ASSIGN_OR_RETURN(plan.operands,
                        laid_out(leaves_of(operands), layouts_in(raw_value(attributes, "operand_layout_constraints")),
                                 "operand_layout_constraints"));
  plan.results = leaves_of(std::span(&instruction.shape, 1));
  HILO_ASSIGN_OR_RETURN(plan.results, laid_out(plan.results, attributes.result_layouts, "result_layouts"));
  HILO_ASSIGN_OR_RETURN(plan.aliases, aliases_in(raw_value(attributes, "output_to_operand_aliasing")));
  for (const auto& [result, operand] : plan.aliases) {
    const bool there =
        result >= 0 && operand >= 0 && result < std::ssize(plan.results) && operand < std::ssize(plan.operands);
    if (!there || plan.results[result].byte_size() != plan.operands[operand].byte_size()) {
      return invalid_argument(
          fmt::format("output_to_operand_aliasing: result {} can't be operand {}", result, operand));
    }
  }
  return plan;
}

}  // namespace hilo::hlo
