// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/annotations.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::hlo::text {
namespace {

/// XLA's attributes of instructions that hilo stores as text, for every opcode.
constexpr std::string_view kStored[] = {"origin", "original_value", "result_accuracy", "parameter_replication",
                                        "type_hint"};

Status read_metadata(Cursor& cursor, Annotations& annotations) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before metadata"));
  while (!cursor.accept('}')) {
    const size_t begin = cursor.position();
    const std::string_view key = cursor.identifier();
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after a key of the metadata"));
    if (key == "op_type") {
      HILO_ASSIGN_OR_RETURN(annotations.op_type, cursor.quoted(key));
    } else if (key == "op_name") {
      HILO_ASSIGN_OR_RETURN(annotations.op_name, cursor.quoted(key));
    } else if (key == "source_file") {
      HILO_ASSIGN_OR_RETURN(annotations.source_file, cursor.quoted(key));
    } else if (key == "source_line") {
      HILO_ASSIGN_OR_RETURN(annotations.source_line, cursor.integer(key));
    } else if (cursor.peek() == '"') {
      HILO_RETURN_IF_ERROR(cursor.quoted(key).status());
    } else if (cursor.peek() == '{') {
      HILO_RETURN_IF_ERROR(cursor.raw_value(key).status());
    } else if (cursor.identifier().empty()) {
      return cursor.unexpected("a value", fmt::format("of the metadata's {}", key));
    }
    const bool own = key == "op_type" || key == "op_name" || key == "source_file" || key == "source_line";
    if (!own) {
      if (!annotations.other_metadata.empty()) annotations.other_metadata += ' ';
      annotations.other_metadata += cursor.between(begin, cursor.last_position());
    }
    cursor.accept(',');
  }
  return ok_status();
}

Status read_control_predecessors(Cursor& cursor, Annotations& annotations) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before control-predecessors"));
  while (cursor.peek() != '}') {
    HILO_ASSIGN_OR_RETURN(const std::string_view name, cursor.name("the name of an instruction"));
    annotations.control_predecessors.emplace_back(name);
    if (!cursor.accept(',')) break;
  }
  return cursor.expect('}', "after control-predecessors");
}

std::string metadata_text(const Annotations& a) {
  std::string text;
  const auto add = [&text](std::string part) { text += (text.empty() ? "" : " ") + std::move(part); };
  if (!a.op_type.empty()) add("op_type=" + quoted_text(a.op_type));
  if (!a.op_name.empty()) add("op_name=" + quoted_text(a.op_name));
  if (!a.source_file.empty()) add("source_file=" + quoted_text(a.source_file));
  if (a.source_line != 0) add(fmt::format("source_line={}", a.source_line));
  if (!a.other_metadata.empty()) add(a.other_metadata);
  return text;
}

}  // namespace

bool is_annotation(std::string_view key) {
  constexpr std::string_view kOwn[] = {
      "metadata", "sharding", "frontend_attributes", "backend_config", "control-predecessors", "statistics"};
  return std::find(std::begin(kOwn), std::end(kOwn), key) != std::end(kOwn) ||
         std::find(std::begin(kStored), std::end(kStored), key) != std::end(kStored);
}

Status read_annotation(Cursor& cursor, std::string_view key, Annotations& annotations) {
  if (key == "metadata") return read_metadata(cursor, annotations);
  if (key == "control-predecessors") return read_control_predecessors(cursor, annotations);
  HILO_ASSIGN_OR_RETURN(const std::string_view value, cursor.raw_value(key));
  if (value.empty()) return cursor.unexpected("a value", fmt::format("of {}", key));
  if (key == "sharding") annotations.sharding = value;
  else if (key == "frontend_attributes") annotations.frontend_attributes = value;
  else if (key == "backend_config") annotations.backend_config = value;
  else if (key == "statistics") annotations.statistics = value;
  else
    annotations.other_attributes +=
        fmt::format("{}{}={}", annotations.other_attributes.empty() ? "" : ", ", key, value);
  return ok_status();
}

void append_annotations(const Annotations& a, std::string& out) {
  const auto add = [&out](std::string_view key, const std::string& value) {
    if (!value.empty()) out += fmt::format(", {}={}", key, value);
  };
  if (!a.other_attributes.empty()) out += ", " + a.other_attributes;
  add("sharding", a.sharding);
  add("frontend_attributes", a.frontend_attributes);
  if (!a.control_predecessors.empty()) {
    out += ", control-predecessors={";
    for (size_t i = 0; i < a.control_predecessors.size(); ++i)
      out += (i == 0 ? "%" : ", %") + a.control_predecessors[i];
    out += '}';
  }
  add("statistics", a.statistics);
  if (const std::string metadata = metadata_text(a); !metadata.empty()) out += ", metadata={" + metadata + "}";
  add("backend_config", a.backend_config);
}

StatusOr<std::vector<FrontendAttribute>> read_frontend_attributes(Cursor& cursor) {
  std::vector<FrontendAttribute> attributes;
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before frontend_attributes"));
  while (cursor.peek() != '}') {
    const std::string_view key = cursor.identifier();
    if (key.empty()) return cursor.unexpected("a key", "in frontend_attributes");
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after a key of frontend_attributes"));
    HILO_ASSIGN_OR_RETURN(const std::string_view value, cursor.raw_value(key));
    attributes.push_back({key, value});
    if (!cursor.accept(',')) break;
  }
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after frontend_attributes"));
  return attributes;
}

AnnotationsPtr without_frontend_attributes(const Annotations& annotations, const std::vector<FrontendAttribute>& all,
                                           std::string_view prefix) {
  auto rest = std::make_shared<Annotations>(annotations);
  rest->frontend_attributes.clear();
  for (const FrontendAttribute& a : all) {
    if (a.key.starts_with(prefix)) continue;
    rest->frontend_attributes += fmt::format("{}{}={}", rest->frontend_attributes.empty() ? "{" : ",", a.key, a.value);
  }
  if (!rest->frontend_attributes.empty()) rest->frontend_attributes += '}';
  return *rest == Annotations() ? nullptr : std::move(rest);
}

}  // namespace hilo::hlo::text
