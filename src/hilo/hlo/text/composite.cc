// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/composite.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/text/annotations.h"

namespace hilo::hlo::text {
namespace {

constexpr std::string_view kVersion = "0";

const FrontendAttribute* find(const std::vector<FrontendAttribute>& attributes, std::string_view key) {
  const auto it = std::ranges::find_if(attributes, [&](const FrontendAttribute& a) { return a.key == key; });
  return it == attributes.end() ? nullptr : &*it;
}

/// Reads one `name = value` of the composite's attributes, written as MLIR attributes: 4 : i64, true, "x", @f,
/// array<i64: 1, 2>.
Status read_value(Cursor& cursor, const AttributeField& field, InstructionId id,
                  const std::shared_ptr<Attributes>& attributes, std::vector<CallSite>& calls) {
  switch (field.kind) {
    case FieldKind::kInt64: {
      HILO_ASSIGN_OR_RETURN(field_value<int64_t>(field, *attributes), cursor.integer(field.name));
      if (cursor.accept(':')) cursor.identifier();
      return ok_status();
    }
    case FieldKind::kBool: {
      HILO_ASSIGN_OR_RETURN(field_value<bool>(field, *attributes), cursor.boolean(field.name));
      return ok_status();
    }
    case FieldKind::kString: {
      HILO_ASSIGN_OR_RETURN(field_value<std::string>(field, *attributes), cursor.quoted(field.name));
      return ok_status();
    }
    case FieldKind::kEnum: {
      const size_t position = cursor.position();
      HILO_ASSIGN_OR_RETURN(const std::string word, cursor.quoted(field.name));
      const auto it = std::ranges::find(field.enum_names, word);
      if (it == field.enum_names.end())
        return cursor.error(position, fmt::format("{} is not a value of {}", quote(word), field.name));
      field_value<uint8_t>(field, *attributes) = static_cast<uint8_t>(it - field.enum_names.begin());
      return ok_status();
    }
    case FieldKind::kInt64List: {
      HILO_RETURN_IF_ERROR(cursor.accept_word("array") ? cursor.expect('<', "after array")
                                                       : cursor.unexpected("array<i64: ...>", ""));
      cursor.identifier();
      if (!cursor.accept(':')) return cursor.expect('>', "after a list");
      do {
        HILO_ASSIGN_OR_RETURN(const int64_t value, cursor.integer(field.name));
        field_value<Int64List>(field, *attributes).push_back(value);
      } while (cursor.accept(','));
      return cursor.expect('>', "after a list");
    }
    case FieldKind::kComputation: {
      const bool quoted = cursor.peek() == '"';  // portable artifacts quote symbols
      if (quoted) cursor.accept('"');
      else cursor.accept('@');
      const size_t position = cursor.position();
      HILO_ASSIGN_OR_RETURN(const std::string_view callee, cursor.name("the name of a computation"));
      if (quoted) HILO_RETURN_IF_ERROR(cursor.expect('"', "after the name of a computation"));
      calls.push_back({id, attributes, &field, 0, callee, position});
      return ok_status();
    }
    case FieldKind::kWindow: {
      HILO_ASSIGN_OR_RETURN(const std::string window, cursor.quoted(field.name));
      Cursor inner(window, field.name);
      ShapeReader shapes;
      FieldReader reader{inner, shapes, id, calls};
      return read_field(reader, field, attributes);
    }
    default:  // values that no extension op has
      return cursor.error(StatusCode::kUnimplemented, cursor.position(),
                          fmt::format("{} can't be represented in a composite", field.name));
  }
}

/// Appends the value in that form; returns false if the form doesn't exist.
bool append_value(const AttributeField& field, const Attributes& attributes, const ComputationNames& names,
                  std::string& out) {
  switch (field.kind) {
    case FieldKind::kInt64: out += fmt::format("{} : i64", field_value<int64_t>(field, attributes)); return true;
    case FieldKind::kBool: out += field_value<bool>(field, attributes) ? "true" : "false"; return true;
    case FieldKind::kString: out += quoted_text(field_value<std::string>(field, attributes)); return true;
    case FieldKind::kEnum: out += quoted_text(field.enum_names[field_value<uint8_t>(field, attributes)]); return true;
    case FieldKind::kInt64List: {
      const auto& list = field_value<Int64List>(field, attributes);
      out += "array<i64";
      for (size_t i = 0; i < list.size(); ++i) out += fmt::format("{} {}", i == 0 ? ":" : ",", list[i]);
      out += '>';
      return true;
    }
    case FieldKind::kComputation: {
      const auto& computation = field_value<ComputationPtr>(field, attributes);
      if (computation != nullptr) out += '@' + names(*computation);
      return computation != nullptr;
    }
    case FieldKind::kWindow: {  // a string, in the same form as for XLA's ops
      std::string window;
      append_field(field, attributes, false, {}, window);
      out += quoted_text(window);
      return true;
    }
    default: return false;
  }
}

Status read_fields(Cursor cursor, const OpDef& def, InstructionId id, const std::shared_ptr<Attributes>& attributes,
                   std::vector<CallSite>& calls) {
  std::vector<std::string_view> seen;
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before composite.attributes"));
  while (cursor.peek() != '}') {
    const size_t position = cursor.position();
    const std::string_view key = cursor.identifier();
    const auto field = std::ranges::find_if(def.attributes.fields, [&](const AttributeField& f) {
      return f.name == key && f.show != FieldShow::kAsOperand;
    });
    if (field == def.attributes.fields.end() || std::ranges::find(seen, key) != seen.end()) {
      return cursor.error(position, fmt::format("{}: attribute {} is {}", def.name, quote(key),
                                                field == def.attributes.fields.end() ? "unknown" : "given twice"));
    }
    seen.push_back(key);
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after an attribute's name"));
    HILO_RETURN_IF_ERROR(read_value(cursor, *field, id, attributes, calls));
    if (!cursor.accept(',')) break;
  }
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after composite.attributes"));
  for (const AttributeField& f : def.attributes.fields) {
    const bool needed = f.show == FieldShow::kAlways || f.kind == FieldKind::kComputation;
    if (needed && std::ranges::find(seen, f.name) == seen.end()) {
      return cursor.error(cursor.position(), fmt::format("{}: attribute '{}' is missing", def.name, f.name));
    }
  }
  return ok_status();
}

}  // namespace

bool is_stored_as_composite(Opcode opcode) { return opcode == Opcode::kAtan || has_trait(opcode, kExtension); }

Status restore_composite(const Cursor& cursor, InstructionId id, size_t frontend_attributes_position, Opcode& opcode,
                         std::shared_ptr<Attributes>& attributes, AnnotationsPtr& annotations,
                         std::vector<CallSite>& calls) {
  if (opcode != Opcode::kCall || has_raw_attributes(opcode) || frontend_attributes_position == 0) return ok_status();
  if (!static_cast<const CallAttributes&>(*attributes).is_composite) return ok_status();
  Cursor reader = cursor;
  reader.set_position(frontend_attributes_position);
  HILO_ASSIGN_OR_RETURN(const std::vector<FrontendAttribute> frontend, read_frontend_attributes(reader));
  const FrontendAttribute* const name = find(frontend, "composite.name");
  if (name == nullptr || name->value.size() < 2) return ok_status();
  const std::optional<Opcode> restored = opcode_from_name(name->value.substr(1, name->value.size() - 2));
  if (!restored || !is_stored_as_composite(*restored)) return ok_status();
  while (!calls.empty() && calls.back().instruction == id) calls.pop_back();
  opcode = *restored;
  const OpDef& def = op_def(opcode);
  attributes = def.attributes.make == nullptr ? nullptr : def.attributes.make();
  annotations = without_frontend_attributes(*annotations, frontend, "composite.");
  const FrontendAttribute* const values = find(frontend, "composite.attributes");
  if (values == nullptr)
    return def.attributes.fields.empty() ? ok_status()
                                         : cursor.error(frontend_attributes_position,
                                                        fmt::format("{}: composite.attributes are missing", def.name));
  reader.set_position(reader.offset_of(values->value));
  return read_fields(reader, def, id, attributes, calls);
}

std::string composite_attributes(const Instruction& instruction, const ComputationNames& names) {
  const OpDef& def = instruction.def();
  std::string text = "composite.attributes={";  // XLA expects it even if it is empty
  for (const AttributeField& f : def.attributes.fields) {
    if (f.show == FieldShow::kAsOperand) continue;  // composites have no such operands
    text += fmt::format("{}{} = ", text.ends_with('{') ? "" : ", ", f.name);
    if (!append_value(f, *instruction.attributes, names, text)) return {};
  }
  text += fmt::format("}},composite.name=\"{}\",composite.version=\"{}\"", def.name, kVersion);
  if (instruction.annotations != nullptr && instruction.annotations->frontend_attributes.size() > 2) {
    text += "," + instruction.annotations->frontend_attributes.substr(
                      1, instruction.annotations->frontend_attributes.size() - 2);
  }
  return "{" + text + "}";
}

}  // namespace hilo::hlo::text
