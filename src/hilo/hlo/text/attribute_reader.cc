// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/attribute_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/text/annotations.h"
#include "hilo/hlo/text/frontend_fields.h"

namespace hilo::hlo::text {
namespace {

constexpr size_t kMaxAttributes = 64;  // per instruction; XLA's ops have at most a dozen

/// Returns whether the values of this attribute are computations, for ops without attribute fields.
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

/// Returns whether such an attribute is a list in braces. For the others, braces begin an inline computation.
bool lists_computations(std::string_view key) { return key == "called_computations" || key == "branch_computations"; }

const AttributeField* field_of_kind(const OpDef& def, FieldKind kind) {
  const auto it = std::ranges::find_if(def.attributes.fields, [&](const AttributeField& f) { return f.kind == kind; });
  return it == def.attributes.fields.end() ? nullptr : &*it;
}

/// An attribute of XLA that has no effect in hilo. Its value is checked and dropped.
struct NoteField {
  Opcode opcode;
  std::string_view name;
  std::span<const std::string_view> words;  ///< valid values; empty: a number
};
constexpr std::string_view kBooleans[] = {"true", "false"};
constexpr std::string_view kConvolutionKinds[] = {"fprop", "wgrad", "dgrad", "unset"};
constexpr std::string_view kGroupModes[] = {"cross_replica", "cross_partition", "cross_replica_and_partition",
                                            "flattened_id"};
constexpr NoteField kNotes[] = {
    {Opcode::kAllReduce, "mode", kGroupModes},
    {Opcode::kAllReduceStart, "mode", kGroupModes},
    {Opcode::kReduceScatter, "mode", kGroupModes},
    {Opcode::kConvolution, "conv_kind", kConvolutionKinds},
    {Opcode::kConvolution, "convolution_kind", kConvolutionKinds},
    {Opcode::kReshape, "inferred_dimension", {}},
    {Opcode::kTopK, "is_stable", kBooleans},  // hilo's top-k is always stable
};

const NoteField* find_note(Opcode opcode, std::string_view key) {
  const auto* const note = std::find_if(std::begin(kNotes), std::end(kNotes),
                                        [&](const NoteField& n) { return n.opcode == opcode && n.name == key; });
  return note == std::end(kNotes) ? nullptr : note;
}

Status read_note(Cursor& cursor, const NoteField& note) {
  if (note.words.empty()) return cursor.integer(note.name).status();
  const size_t position = cursor.position();
  const std::string_view word = cursor.identifier();
  if (std::ranges::find(note.words, word) != note.words.end()) return ok_status();
  return cursor.error(
      position, fmt::format("{} is not a value of {}; known: {}", quote(word), note.name, fmt::join(note.words, ", ")));
}

}  // namespace

const AttributeField* AttributeReader::find_field(std::string_view key) const {
  for (const AttributeField& f : def.attributes.fields) {
    if (f.name == key && f.show != FieldShow::kAsOperand && !is_frontend_field(f)) return &f;
  }
  return nullptr;
}

/// Reads an attribute of an op that has RawAttributes: text, and computations.
Status AttributeReader::read_raw(std::string_view key, size_t position) {
  auto& raw = static_cast<RawAttributes&>(*attributes);
  if (names_computations(key)) {
    const bool list = lists_computations(key) && cursor.peek() == '{';
    FieldReader reader{cursor, shared.shapes, instruction, calls, &shared};
    const AttributeField& field = *field_of_kind(def, FieldKind::kComputations);
    if (!list) {
      raw.called.emplace_back();
      raw.called_names.emplace_back(key);
      return read_callee(reader, field, attributes, raw.called.size() - 1);
    }
    const size_t begin = cursor.position();
    HILO_ASSIGN_OR_RETURN(const size_t count, read_computations(reader, field, attributes));
    raw.called_names.insert(raw.called_names.end(), count, fmt::format("{}{{}}", key));
    if (count != 0) return ok_status();
    cursor.set_position(begin);
  }
  HILO_RETURN_IF_ERROR(cursor.raw_value(key).status());
  raw.raw.emplace_back(trimmed(cursor.between(position, cursor.last_position())));
  return ok_status();
}

/// Reads `true_computation=%f, false_computation=%g`: the form of conditional with a predicate.
Status AttributeReader::read_branch(std::string_view key) {
  const AttributeField& field = *field_of_kind(def, FieldKind::kComputations);
  auto& conditional = static_cast<ConditionalAttributes&>(*attributes);
  conditional.predicated = true;
  conditional.branches.resize(2);
  FieldReader reader{cursor, shared.shapes, instruction, calls, &shared};
  return read_callee(reader, field, attributes, key == "true_computation" ? size_t{0} : size_t{1});
}

/// Reads `order=TOTAL` or `order=PARTIAL`, which XLA writes since jaxlib 0.12 instead of a type.
Status AttributeReader::read_order() {
  const size_t position = cursor.position();
  const std::string_view word = cursor.identifier();
  const std::optional<ComparisonType> type = comparison_type_of_order(word);
  if (!type) return cursor.error(position, fmt::format("{} is not an order; known: PARTIAL, TOTAL", quote(word)));
  static_cast<CompareAttributes&>(*attributes).type = *type;
  return ok_status();
}

Status AttributeReader::read_one(std::string_view key, size_t position) {
  if (of_start != nullptr && (key == "async_execution_thread" || key == "output_to_operand_aliasing")) {
    HILO_RETURN_IF_ERROR(cursor.raw_value(key).status());
    of_start->emplace_back(trimmed(cursor.between(position, cursor.last_position())));
    return ok_status();
  }
  if (has_raw_attributes(def.opcode)) return read_raw(key, position);
  if (def.opcode == Opcode::kConditional && (key == "true_computation" || key == "false_computation"))
    return read_branch(key);
  if (def.opcode == Opcode::kCompare && (key == "order" || key == "type")) {
    const std::string_view other = key == "type" ? "order" : "type";
    if (std::ranges::find(seen, other) != seen.end())
      return cursor.error(position, "compare has both 'type' and 'order'; wanted one of them");
    if (key == "order") return read_order();
  }
  if (const NoteField* note = find_note(def.opcode, key)) return read_note(cursor, *note);
  FieldReader reader{cursor, shared.shapes, instruction, calls, &shared};
  if (const AttributeField* field = find_field(key)) return read_field(reader, *field, attributes);
  std::vector<std::string_view> known;
  for (const AttributeField& f : def.attributes.fields) known.push_back(f.name);
  return cursor.error(StatusCode::kUnimplemented, position,
                      fmt::format("{} has no attribute {}.{}", def.name, quote(key), did_you_mean(key, known)));
}

Status AttributeReader::check_complete(size_t position, std::string_view name) const {
  const auto has = [&](std::string_view key) { return std::ranges::find(seen, key) != seen.end(); };
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
  for (const AttributeField& f : def.attributes.fields) {
    // XLA may omit empty lists
    const bool list = f.kind == FieldKind::kInt64List || f.kind == FieldKind::kInt64Lists;
    if (f.show == FieldShow::kAlways && !list && !has(f.name)) return missing(f.name);
  }
  return ok_status();
}

Status AttributeReader::read_all(size_t instruction_position, std::string_view name) {
  std::optional<Annotations> own;
  size_t annotations_begin = 0;
  bool only_annotations = true;  // true from annotations_begin on
  while (cursor.accept(',')) {
    const size_t position = cursor.position();
    const std::string_view key = cursor.identifier();
    if (key.empty()) return cursor.unexpected("an attribute", "after ','");
    if (std::ranges::find(seen, key) != seen.end())
      return cursor.error(position, fmt::format("attribute {} appears twice", quote(key)));
    if (seen.size() == kMaxAttributes)
      return cursor.error(position, fmt::format("more than {} attributes", kMaxAttributes));
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
    // Instructions of one source line often have the same annotations as text; they share one object.
    const std::string_view text = trimmed(cursor.between(annotations_begin, cursor.last_position()));
    AnnotationsPtr& shared_annotations = only_annotations ? shared.annotations[text] : annotations;
    if (shared_annotations == nullptr) shared_annotations = std::make_shared<const Annotations>(std::move(*own));
    annotations = shared_annotations;
  }
  return check_complete(instruction_position, name);
}

}  // namespace hilo::hlo::text
