// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/text/annotations.h"
#include "hilo/hlo/text/composite.h"
#include "hilo/hlo/text/frontend_fields.h"
#include "hilo/hlo/text/header.h"
#include "hilo/hlo/text/literals.h"
#include "hilo/hlo/text/program_order.h"

namespace hilo::hlo {
namespace text {
namespace {

std::string_view spelled_name(const Instruction& i) {
  if (!has_raw_attributes(i.opcode) || i.attributes == nullptr) return i.def().name;
  const std::string& spelled = attributes_of<RawAttributes>(i).spelled;
  return spelled.empty() ? i.def().name : std::string_view(spelled);
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string module(const Module& module);
  void computation(const Computation& c, bool is_entry);
  void instruction(const Computation& c, const Instruction& i);
  std::string take() { return std::move(out_); }

 private:
  void unconfigured_instruction(const Computation& c, const Instruction& i);
  void rename(const Computation& c);
  void attributes(const Instruction& i);
  void raw_attributes(const RawAttributes& raw);
  void operands(const Computation& c, const Instruction& i);
  void annotations(const Computation& c, const Annotations& a);
  void shape(const Shape& s) { append_shape(s, options_.layouts, out_); }
  void key(std::string_view name) { out_ += fmt::format(", {}=", name); }
  std::string name_of(const Computation& c) const;
  std::string name_of(const Instruction& i) const;
  ComputationNames names() const {
    return [this](const Computation& c) { return name_of(c); };
  }
  const Computation* decomposition_of(const Instruction& i) const;

  const PrintOptions& options_;
  std::string out_;
  ProgramOrder program_;  // empty while a single computation or instruction is printed
  std::unordered_map<InstructionId, std::string> renamed_;  // of the computation being printed
};

std::string Printer::name_of(const Instruction& i) const {
  if (options_.canonical) return fmt::format("v{}", i.id);
  if (is_plain_name(i.name)) return i.name;
  const auto it = renamed_.find(i.id);
  return it != renamed_.end() ? it->second : plain_name(i.name);
}

std::string Printer::name_of(const Computation& c) const {
  const auto it = program_.names.find(&c);
  return it != program_.names.end() ? it->second : plain_computation_name(c.name());
}

const Computation* Printer::decomposition_of(const Instruction& i) const {
  const auto it = program_.decompositions.find(&i);
  return it == program_.decompositions.end() ? nullptr : it->second.get();
}

std::string Printer::module(const Module& module) {
  program_ = program_order(module, options_.decompose_extensions,
                           options_.canonical ? ProgramNames::kNumbers : ProgramNames::kOwn);
  append_header(module, options_.layouts, out_);
  for (size_t i = 0; i < program_.order.size(); ++i) {
    if (i != 0 || !out_.ends_with("\n\n")) out_ += '\n';
    computation(*program_.order[i], i + 1 == program_.order.size());
  }
  return take();
}

/// Finds free names for instructions whose names HLO text doesn't allow.
void Printer::rename(const Computation& c) {
  renamed_.clear();
  const std::span<const Instruction> all = c.instructions();
  if (std::ranges::all_of(all, [](const Instruction& i) { return is_plain_name(i.name); })) return;
  UniqueNames names;
  for (const Instruction& i : all) {
    if (is_plain_name(i.name)) names.unique(i.name);
  }
  for (const Instruction& i : all) {
    if (!is_plain_name(i.name)) renamed_.emplace(i.id, names.unique(plain_name(i.name)));
  }
}

void Printer::computation(const Computation& c, bool is_entry) {
  if (!options_.canonical) rename(c);
  out_ += fmt::format("{}%{} (", is_entry ? "ENTRY " : "", name_of(c));
  for (int64_t n = 0; n < c.parameter_count(); ++n) {
    if (n != 0) out_ += ", ";
    out_ += name_of(c.parameter(n)) + ": ";
    append_shape(c.parameter(n).shape, false, out_);
  }
  out_ += ") -> ";
  append_shape(c.result_shape(), false, out_);
  out_ += " {\n";
  for (const Instruction& i : c.instructions()) {
    out_ += i.id == c.root_id() ? "  ROOT " : "  ";
    instruction(c, i);
    out_ += '\n';
  }
  out_ += "}\n";
}

void Printer::operands(const Computation& c, const Instruction& i) {
  constexpr size_t kCountEvery = 5;
  for (size_t n = 0; n < i.operands.size(); ++n) {
    const Instruction& operand = c.instruction(i.operands[n]);
    if (n != 0) out_ += ", ";
    if (n != 0 && n % kCountEvery == 0) out_ += fmt::format("/*index={}*/", n);
    if (options_.operand_shapes) {
      shape(operand.shape);
      out_ += ' ';
    }
    out_ += '%';
    out_ += name_of(operand);
  }
}

void Printer::raw_attributes(const RawAttributes& raw) {
  for (const std::string& text : raw.raw) out_ += ", " + text;
  for (size_t i = 0; i < raw.called.size();) {
    std::string_view name = raw.called_names[i];
    const bool list = name.ends_with("{}");
    key(list ? name.substr(0, name.size() - 2) : name);
    out_ += list ? "{%" : "%";
    out_ += name_of(*raw.called[i++]);
    while (list && i < raw.called.size() && raw.called_names[i] == name) out_ += ", %" + name_of(*raw.called[i++]);
    if (list) out_ += '}';
  }
}

void Printer::attributes(const Instruction& i) {
  if (i.attributes == nullptr) return;
  if (has_raw_attributes(i.opcode)) return raw_attributes(attributes_of<RawAttributes>(i));
  if (i.opcode == Opcode::kConditional) {
    const auto& conditional = attributes_of<ConditionalAttributes>(i);
    if (conditional.predicated && conditional.branches.size() == 2) {
      out_ += fmt::format(", true_computation=%{}, false_computation=%{}", name_of(*conditional.branches[0]),
                          name_of(*conditional.branches[1]));
      return;
    }
  }
  for (const AttributeField& f : i.def().attributes.fields) {
    if (f.show == FieldShow::kAsOperand || is_frontend_field(f)) continue;
    if (f.show == FieldShow::kUnlessDefault && is_default(i.def(), f, *i.attributes)) continue;
    key(f.name);
    append_field(f, *i.attributes, options_.layouts, names(), out_);
  }
}

void Printer::annotations(const Computation& c, const Annotations& a) {
  if (a.control_predecessors.empty()) return append_annotations(a, out_);
  // a pass may have dropped a control predecessor
  std::unordered_set<std::string_view> present;
  for (const Instruction& i : c.instructions()) present.insert(i.name);
  Annotations printed = a;
  std::erase_if(printed.control_predecessors, [&](const std::string& name) { return !present.contains(name); });
  append_annotations(printed, out_);
}

void Printer::instruction(const Computation& c, const Instruction& i) {
  unconfigured_instruction(c, i);
  if (i.opcode != Opcode::kCustomCall || i.attributes == nullptr) return;
  const std::string& config = attributes_of<CustomCallAttributes>(i).backend_config;
  if (!config.empty()) out_ += ", backend_config=" + config;  // last, as in XLA
}

void Printer::unconfigured_instruction(const Computation& c, const Instruction& i) {
  out_ += '%' + name_of(i) + " = ";
  shape(shown_shape(i));
  const Computation* const decomposition = decomposition_of(i);
  const std::string frontend_attributes = decomposition == nullptr ? std::string() : composite_attributes(i, names());
  const bool composite = !frontend_attributes.empty();
  out_ += fmt::format(" {}(", composite ? "call" : spelled_name(i));
  const bool value_as_operand =
      !i.def().attributes.fields.empty() && i.def().attributes.fields[0].show == FieldShow::kAsOperand;
  if (value_as_operand && i.attributes != nullptr) {
    const AttributeField& f = i.def().attributes.fields[0];
    if (f.kind == FieldKind::kLiteral)
      append_literal(field_value<Literal>(f, *i.attributes), options_.max_constant_elements, out_);
    else append_field(f, *i.attributes, options_.layouts, names(), out_);
  } else {
    operands(c, i);
  }
  out_ += ')';
  const bool annotated = i.annotations != nullptr && options_.annotations && !options_.canonical;
  if (composite) {
    Annotations shown = annotated ? *i.annotations : Annotations();
    out_ += fmt::format(", to_apply=%{}, is_composite=true", name_of(*decomposition));
    shown.frontend_attributes = frontend_attributes;
    return append_annotations(shown, out_);
  }
  attributes(i);
  const std::string own = frontend_fields(i);
  if (own.empty()) {
    if (annotated) annotations(c, *i.annotations);
    return;
  }
  Annotations shown = annotated ? *i.annotations : Annotations();
  add_frontend_fields(own, shown);
  annotations(c, shown);
}

}  // namespace
}  // namespace text

std::string print_module(const Module& module, const PrintOptions& options) {
  return text::Printer(options).module(module);
}

std::string print_computation(const Computation& computation, const PrintOptions& options) {
  text::Printer printer(options);
  printer.computation(computation, false);
  return printer.take();
}

std::string print_instruction(const Computation& computation, const Instruction& instruction,
                              const PrintOptions& options) {
  text::Printer printer(options);
  printer.instruction(computation, instruction);
  return printer.take();
}

std::string print_shape(const Shape& shape, const PrintOptions& options) {
  std::string out;
  text::append_shape(shape, options.layouts, out);
  return out;
}

}  // namespace hilo::hlo
