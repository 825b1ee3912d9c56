// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/attribute_setter.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/text/fields.h"

namespace hilo::stablehlo {

using hlo::FieldKind;

AttributeSetter::AttributeSetter(hlo::Opcode opcode)
    : def_(hlo::op_def(opcode)), attributes_(def_.attributes.make == nullptr ? nullptr : def_.attributes.make()) {}

bool AttributeSetter::is_raw() const { return hlo::has_raw_attributes(def_.opcode); }

void AttributeSetter::add_raw(std::string_view name, const std::string& text) {
  static_cast<hlo::RawAttributes&>(*attributes_).raw.push_back(fmt::format("{}={}", name, text));
}

StatusOr<const hlo::AttributeField*> AttributeSetter::field(std::string_view name,
                                                            std::initializer_list<FieldKind> kinds) const {
  for (const hlo::AttributeField& field : def_.attributes.fields) {
    if (field.name != name) continue;
    if (kinds.size() == 0 || std::find(kinds.begin(), kinds.end(), field.kind) != kinds.end()) return &field;
  }
  return unimplemented(fmt::format("{} of HLO has no attribute '{}' of this kind", def_.name, name));
}

Status AttributeSetter::set(std::string_view name, int64_t value) {
  if (is_raw()) {
    add_raw(name, fmt::format("{}", value));
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const hlo::AttributeField* field,
                        this->field(name, {FieldKind::kInt64, FieldKind::kInt64List}));
  if (field->kind == FieldKind::kInt64) hlo::field_value<int64_t>(*field, *attributes_) = value;
  else hlo::field_value<hlo::Int64List>(*field, *attributes_) = {value};
  return ok_status();
}

Status AttributeSetter::set_flag(std::string_view name, bool value) {
  if (is_raw()) {
    add_raw(name, value ? "true" : "false");
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const hlo::AttributeField* field, this->field(name, {FieldKind::kBool}));
  hlo::field_value<bool>(*field, *attributes_) = value;
  return ok_status();
}

Status AttributeSetter::set_list(std::string_view name, const hlo::Int64List& value) {
  if (is_raw()) {
    std::string text;
    hlo::text::append_list(value, text);
    add_raw(name, text);
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const hlo::AttributeField* field, this->field(name, {FieldKind::kInt64List}));
  hlo::field_value<hlo::Int64List>(*field, *attributes_) = value;
  return ok_status();
}

Status AttributeSetter::set_word(std::string_view name, std::string_view value) {
  if (is_raw()) {
    add_raw(name, std::string(value));
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const hlo::AttributeField* field, this->field(name, {}));
  if (field->kind != FieldKind::kEnum) return set_text(name, std::string(value));
  for (size_t i = 0; i < field->enum_names.size(); ++i) {
    if (field->enum_names[i] != value) continue;
    hlo::field_value<uint8_t>(*field, *attributes_) = static_cast<uint8_t>(i);
    return ok_status();
  }
  return unimplemented(fmt::format("{} of HLO has no {} '{}'", def_.name, name, value));
}

Status AttributeSetter::set_text(std::string_view name, const std::string& text) {
  if (is_raw()) {
    add_raw(name, text);
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const hlo::AttributeField* field, this->field(name, {}));
  hlo::text::Cursor cursor(text, name);
  hlo::text::ShapeReader shapes;
  std::vector<hlo::text::CallSite> calls;
  hlo::text::FieldReader reader{cursor, shapes, 0, calls};
  return hlo::text::read_field(reader, *field, attributes_);
}

Status AttributeSetter::set_computation(std::string_view name, const hlo::ComputationPtr& computation) {
  if (is_raw()) {
    auto& raw = static_cast<hlo::RawAttributes&>(*attributes_);
    raw.called_names.emplace_back(name);
    raw.called.push_back(computation);
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const hlo::AttributeField* field, this->field(name, {FieldKind::kComputation}));
  hlo::field_value<hlo::ComputationPtr>(*field, *attributes_) = computation;
  return ok_status();
}

Status AttributeSetter::set_computations(std::string_view name, std::vector<hlo::ComputationPtr> computations) {
  if (is_raw()) {
    auto& raw = static_cast<hlo::RawAttributes&>(*attributes_);
    for (hlo::ComputationPtr& computation : computations) {
      raw.called_names.push_back(fmt::format("{}{{}}", name));
      raw.called.push_back(std::move(computation));
    }
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const hlo::AttributeField* field, this->field(name, {FieldKind::kComputations}));
  hlo::field_value<std::vector<hlo::ComputationPtr>>(*field, *attributes_) = std::move(computations);
  return ok_status();
}

}  // namespace hilo::stablehlo
