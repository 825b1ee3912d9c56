// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/source_lines.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "hilo/base/text.h"

namespace hilo::hlo {
namespace {

std::string_view table_of(const Module& module, std::string_view name) {
  for (const auto& [key, value] : module.other_attributes) {
    if (key == name) return value;
  }
  return {};
}

/// Returns the end of a row's value: a string with its escapes, or a group in braces.
size_t end_of_value(std::string_view rows, size_t at) {
  const bool quoted = rows[at] == '"';
  for (++at; at < rows.size(); ++at) {
    if (quoted && rows[at] == '\\') ++at;
    else if (rows[at] == (quoted ? '"' : '}')) return at;
  }
  return std::string_view::npos;
}

/// Calls `row(number, value)` for each row `1 "name"` or `1 {key=2 other=3}`, up to the first line that isn't a row.
void for_each_row(std::string_view rows, const std::function<void(int64_t, std::string_view)>& row) {
  for (;;) {
    const size_t at = rows.find_first_of("\"{");
    if (at == std::string_view::npos) return;
    const std::optional<int64_t> number = parse_int64(trimmed(rows.substr(0, at)));
    const size_t end = end_of_value(rows, at);
    if (!number || end == std::string_view::npos) return;
    row(*number, rows.substr(at + 1, end - at - 1));
    rows.remove_prefix(end + 1);
  }
}

/// Returns the number after `key=` in text of the form `a=1 b=2`.
std::optional<int64_t> number_of(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const size_t after = at + key.size();
    const bool whole = (at == 0 || text[at - 1] == ' ' || text[at - 1] == ',') && text.substr(after, 1) == "=";
    if (!whole) continue;
    const size_t end = text.find_first_of(" ,}", after + 1);
    return parse_int64(text.substr(after + 1, end == std::string_view::npos ? end : end - after - 1));
  }
  return std::nullopt;
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

}  // namespace

SourceLines::SourceLines(const Module& module) {
  std::unordered_map<int64_t, std::string> files, locations;
  for_each_row(table_of(module, "FileNames"),
               [&](int64_t number, std::string_view name) { files[number] = without_escapes(name); });
  for_each_row(table_of(module, "FileLocations"), [&](int64_t number, std::string_view row) {
    const auto file = files.find(number_of(row, "file_name_id").value_or(0));
    const int64_t line = number_of(row, "line").value_or(0);
    if (file != files.end()) locations[number] = file->second + ":" + std::to_string(line);
  });
  for_each_row(table_of(module, "StackFrames"), [&](int64_t number, std::string_view row) {
    const auto location = locations.find(number_of(row, "file_location_id").value_or(0));
    if (location != locations.end()) frames_[number] = location->second;
  });
}

std::string SourceLines::of(const Instruction& instruction) const {
  if (instruction.annotations == nullptr) return "";
  const Annotations& annotations = *instruction.annotations;
  if (!annotations.source_file.empty()) return annotations.source_file + ":" + std::to_string(annotations.source_line);
  if (frames_.empty()) return "";
  const auto frame = frames_.find(number_of(annotations.other_metadata, "stack_frame_id").value_or(0));
  return frame == frames_.end() ? "" : frame->second;
}

std::string describe(const Instruction& instruction, const SourceLines& lines) {
  const std::string text = std::string(opcode_name(instruction.opcode)) + " '" + instruction.name + "'";
  const std::string line = lines.of(instruction);
  return line.empty() ? text : text + " (" + line + ")";
}

}  // namespace hilo::hlo
