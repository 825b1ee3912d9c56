// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/frontend_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/text/fields.h"

namespace hilo::hlo::text {
namespace {

constexpr std::string_view kPrefix = "hilo.";

std::string_view enum_name(const AttributeField& field, const Attributes& attributes) {
  return field.enum_names[field_value<uint8_t>(field, attributes)];
}

}  // namespace

bool is_frontend_field(const AttributeField& field) { return field.name.starts_with(kPrefix); }

std::string frontend_fields(const Instruction& instruction) {
  std::string text;
  for (const AttributeField& f : instruction.def().attributes.fields) {
    if (!is_frontend_field(f) || is_default(instruction.def(), f, *instruction.attributes)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", f.name, quoted_text(enum_name(f, *instruction.attributes)));
  }
  return text;
}

void add_frontend_fields(const std::string& fields, Annotations& annotations) {
  if (fields.empty()) return;
  std::string& all = annotations.frontend_attributes;
  if (all.empty()) all = "{" + fields + "}";
  else all.insert(all.size() - 1, "," + fields);
}

Status read_frontend_fields(const Cursor& cursor, size_t position, const OpDef& def, Attributes* attributes,
                            AnnotationsPtr& annotations) {
  if (position == 0 || std::ranges::none_of(def.attributes.fields, is_frontend_field)) return ok_status();
  Cursor reader = cursor;
  reader.set_position(position);
  HILO_ASSIGN_OR_RETURN(const std::vector<FrontendAttribute> all, read_frontend_attributes(reader));
  for (const FrontendAttribute& a : all) {
    if (!a.key.starts_with(kPrefix)) continue;
    const auto field =
        std::ranges::find_if(def.attributes.fields, [&](const AttributeField& f) { return f.name == a.key; });
    reader.set_position(reader.offset_of(a.value));
    if (field == def.attributes.fields.end())
      return reader.error(reader.position(), fmt::format("{} has no attribute {}", def.name, quote(a.key)));
    HILO_ASSIGN_OR_RETURN(const std::string word, reader.quoted(a.key));
    const auto it = std::ranges::find(field->enum_names, word);
    if (it == field->enum_names.end() || word.empty()) {
      return reader.error(reader.offset_of(a.value), fmt::format("{} is not a value of {}; wanted {}", quote(word),
                                                                 a.key, fmt::join(field->enum_names.subspan(1), ", ")));
    }
    field_value<uint8_t>(*field, *attributes) = static_cast<uint8_t>(it - field->enum_names.begin());
  }
  annotations = without_frontend_attributes(*annotations, all, kPrefix);
  return ok_status();
}

}  // namespace hilo::hlo::text
