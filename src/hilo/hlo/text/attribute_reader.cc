// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/attribute_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/text/annotations.h"
#include "hilo/hlo/text/frontend_fields.h"

namespace hilo::hlo::text {
namespace {

constexpr size_t kMostAttributes = 64;  // of one instruction; XLA's ops have at most a dozen

/// Attributes of ops without fields of their own whose values are computations.
bool names_computations(std::string_view key) {
  constexpr std::string_view kKeys[] = {"to_apply",
                                        "calls",
                                        "condition",
                                        "body",
                                        "called_computations",
                                        "branch_computations",
                                        "true_computation",
                                        "false_computation"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

const AttributeField* field_of_kind(const OpDef& def, FieldKind kind) {
  const auto it =
      std::find_if(def.fields.begin(), def.fields.end(), [&](const AttributeField& f) { return f.kind == kind; });
  return it == def.fields.end() ? nullptr : &*it;
}

}  // namespace

const AttributeField* AttributeReader::find_field(std::string_view key) const {
  for (const AttributeField& f : def.fields) {
    if (f.name == key && f.show != FieldShow::kAsOperand && !is_frontend_field(f)) return &f;
  }
  return nullptr;
}

/// The attributes of the ops that have RawAttributes: text, and computations.
Status AttributeReader::read_raw(std::string_view key, size_t position) {
  auto& raw = static_cast<RawAttributes&>(*attributes);
  if (names_computations(key)) {
    const size_t begin = cursor.position();
    const bool list = cursor.accept('{');
    const bool empty = list && cursor.peek() == '}';
    cursor.set_position(begin);
    if (!empty) {
      FieldReader reader{cursor, shared.shapes, instruction, calls};
      HILO_ASSIGN_OR_RETURN(const size_t count,
                            read_computations(reader, *field_of_kind(def, FieldKind::kComputations), attributes));
      raw.called_names.insert(raw.called_names.end(), count, list ? fmt::format("{}{{}}", key) : std::string(key));
      return ok_status();
    }
  }
  HILO_RETURN_IF_ERROR(cursor.raw_value(key).status());
  raw.raw.emplace_back(trimmed(cursor.between(position, cursor.last_position())));
  return ok_status();
}

/// `true_computation=%f, false_computation=%g`: the form of conditional that chooses by a pred.
Status AttributeReader::read_branch(std::string_view key) {
  const AttributeField& field = *field_of_kind(def, FieldKind::kComputations);
  auto& conditional = static_cast<ConditionalAttributes&>(*attributes);
  conditional.predicated = true;
  conditional.branches.resize(2);
  const size_t position = cursor.position();
  HILO_ASSIGN_OR_RETURN(const std::string_view callee, cursor.name("the name of a computation"));
  calls.push_back(
      {instruction, attributes, &field, key == "true_computation" ? size_t{0} : size_t{1}, callee, position});
  return ok_status();
}

Status AttributeReader::read_one(std::string_view key, size_t position) {
  if (has_raw_attributes(def.opcode)) return read_raw(key, position);
  if (def.opcode == Opcode::kConditional && (key == "true_computation" || key == "false_computation"))
    return read_branch(key);
  if (def.opcode == Opcode::kTopK && key == "is_stable")
    return cursor.boolean(key).status();  // newer XLA's; here it always is
  FieldReader reader{cursor, shared.shapes, instruction, calls};
  if (const AttributeField* field = find_field(key)) return read_field(reader, *field, attributes);
  std::vector<std::string_view> known;
  for (const AttributeField& f : def.fields) known.push_back(f.name);
  return cursor.error(StatusCode::kUnimplemented, position,
                      fmt::format("{} has no attribute {}.{}", def.name, quote(key), did_you_mean(key, known)));
}

Status AttributeReader::check_complete(size_t position, std::string_view name) const {
  const auto has = [&](std::string_view key) { return std::find(seen.begin(), seen.end(), key) != seen.end(); };
  const auto missing = [&](std::string_view key) {
    return cursor.error(position, fmt::format("{} '{}': attribute '{}' is missing", def.name, name, key));
  };
  if (def.opcode == Opcode::kConditional && !has_raw_attributes(def.opcode)) {
    if (has("branch_computations")) {
      return has("true_computation") || has("false_computation")
                 ? cursor.error(position,
                                fmt::format("conditional '{}' has both branch_computations and true_computation", name))
                 : ok_status();
    }
    if (!has("true_computation")) return missing(has("false_computation") ? "true_computation" : "branch_computations");
    return has("false_computation") ? ok_status() : missing("false_computation");
  }
  for (const AttributeField& f : def.fields) {
    // XLA leaves empty lists out here and there.
    const bool list = f.kind == FieldKind::kInt64List || f.kind == FieldKind::kInt64Lists;
    if (f.show == FieldShow::kAlways && !list && !has(f.name)) return missing(f.name);
  }
  return ok_status();
}

Status AttributeReader::read_all(size_t instruction_position, std::string_view name) {
  std::optional<Annotations> own;
  size_t annotations_begin = 0;
  bool only_annotations = true;  // from annotations_begin on
  while (cursor.accept(',')) {
    const size_t position = cursor.position();
    const std::string_view key = cursor.identifier();
    if (key.empty()) return cursor.unexpected("an attribute", "after ','");
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      return cursor.error(position, fmt::format("attribute {} appears twice", quote(key)));
    if (seen.size() == kMostAttributes)
      return cursor.error(position, fmt::format("more than {} attributes", kMostAttributes));
    seen.push_back(key);
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after an attribute's name"));
    if (def.opcode == Opcode::kCustomCall && key == "backend_config") {
      only_annotations = !own;
      HILO_ASSIGN_OR_RETURN(const std::string_view config, cursor.raw_value(key));
      static_cast<CustomCallAttributes&>(*attributes).backend_config = config;
      continue;
    }
    if (!is_annotation(key)) {
      only_annotations = !own;
      HILO_RETURN_IF_ERROR(read_one(key, position));
      continue;
    }
    if (key == "frontend_attributes") frontend_attributes_position = cursor.position();
    if (!own) {
      own.emplace();
      annotations_begin = position;
    }
    HILO_RETURN_IF_ERROR(read_annotation(cursor, key, *own));
  }
  if (own) {
    // Instructions of one source line have the same text here and share one object.
    const std::string_view text = trimmed(cursor.between(annotations_begin, cursor.last_position()));
    AnnotationsPtr& shared_annotations = only_annotations ? shared.annotations[text] : annotations;
    if (shared_annotations == nullptr) shared_annotations = std::make_shared<const Annotations>(std::move(*own));
    annotations = shared_annotations;
  }
  return check_complete(instruction_position, name);
}

}  // namespace hilo::hlo::text
