// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/proto/annotations.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/sharding.h"
#include "hilo/hlo/text/header.h"
#include "hilo/hlo/text/location_tables.h"
#include "hilo/hlo/text/program_order.h"

namespace hilo::hlo::proto {
namespace {

using text::Cursor;
using text::LocationTable;

// Fields of HloModuleProto.
constexpr uint32_t kName = 1, kHostProgramShape = 4, kModuleAliases = 8, kStackFrames = 17, kBufferDonor = 18,
                   kModuleFrontendAttributes = 19, kLastKnown = 23;
constexpr std::string_view kConfiguration[] = {"is_scheduled", "replica_count", "num_partitions",
                                               "allow_spmd_sharding_propagation_to_parameters",
                                               "allow_spmd_sharding_propagation_to_output"};

const std::string* other(const Module& module, std::string_view key) {
  for (const auto& [name, value] : module.other_attributes) {
    if (name == key) return &value;
  }
  return nullptr;
}

WireWriter write_aliases(const Module& module) {
  WireWriter out;
  for (const Alias& alias : module.aliases) {
    WireWriter entry;
    entry.integers(1, alias.result_index);
    entry.integer(2, alias.parameter_number);
    entry.integers(3, alias.parameter_index);
    entry.integer(4, alias.must_alias ? 2 : 1);
    out.message(1, entry);
  }
  return out;
}

Status read_aliases(const WireMessage& message, Module& module) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(1));
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const WireMessage entry, WireMessage::read(item, "AliasEntryProto"));
    Alias alias;
    HILO_ASSIGN_OR_RETURN(alias.result_index, entry.integers(1));
    HILO_ASSIGN_OR_RETURN(alias.parameter_number, entry.integer(2));
    HILO_ASSIGN_OR_RETURN(alias.parameter_index, entry.integers(3));
    HILO_ASSIGN_OR_RETURN(const int64_t kind, entry.integer(4));
    alias.must_alias = kind == 2;
    module.aliases.push_back(std::move(alias));
  }
  return ok_status();
}

/// Writes `{ (0, {}), (1, {2}) }`.
StatusOr<WireWriter> write_donors(std::string_view value) {
  WireWriter out;
  Cursor cursor(value, "buffer_donor");
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before buffer_donor"));
  while (cursor.accept('(')) {
    HILO_ASSIGN_OR_RETURN(const int64_t parameter, cursor.integer("a parameter number"));
    HILO_RETURN_IF_ERROR(cursor.expect(',', "after a parameter number"));
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> index, read_bracketed(cursor, '{', '}'));
    HILO_RETURN_IF_ERROR(cursor.expect(')', "after a donor"));
    WireWriter entry;
    entry.integer(1, parameter);
    entry.integers(2, index);
    out.message(1, entry);
    if (!cursor.accept(',')) break;
  }
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after buffer_donor"));
  return out;
}

Status read_donors(const WireMessage& message, Module& module) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(1));
  std::string text;
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const WireMessage entry, WireMessage::read(item, "BufferDonorEntryProto"));
    HILO_ASSIGN_OR_RETURN(const int64_t parameter, entry.integer(1));
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> index, entry.integers(2));
    text += fmt::format("{}({}, {{{}}})", text.empty() ? "{ " : ", ", parameter, fmt::join(index, ","));
  }
  if (!text.empty()) module.other_attributes.emplace_back("buffer_donor", text + " }");
  return ok_status();
}

/// StackFrameIndexProto: table i has field number i + 1. Keys of rows in braces, by field number.
constexpr std::string_view kLocationFields[] = {"",       "file_name_id", "function_name_id", "line",
                                                "column", "end_line",     "end_column"};
constexpr std::string_view kFrameFields[] = {"", "file_location_id", text::kParentFrame};

uint32_t number_of(const LocationTable& table) {
  return 1 + static_cast<uint32_t>(&table - text::location_tables().data());
}

uint32_t number_of(std::string_view key) {
  const auto* const at = std::ranges::find(kLocationFields, key);
  return static_cast<uint32_t>(at != std::end(kLocationFields) ? at - std::begin(kLocationFields)
                                                               : std::ranges::find(kFrameFields, key) - kFrameFields);
}

Status write_row(const LocationTable& table, Cursor& cursor, WireWriter& out) {
  HILO_RETURN_IF_ERROR(cursor.integer("a row number").status());
  if (table.keys.empty()) {
    HILO_ASSIGN_OR_RETURN(const std::string name, cursor.quoted(table.word));
    out.bytes(number_of(table), utf8(name));
    return ok_status();
  }
  WireWriter row;
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before a row"));
  while (cursor.peek() != '}') {
    const std::string_view key = cursor.identifier();
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after a key"));
    HILO_ASSIGN_OR_RETURN(const int64_t value, cursor.integer(key));
    row.integer(number_of(key), key == text::kParentFrame ? std::max<int64_t>(value, 1) - 1 : value);
    cursor.accept(',');
  }
  out.message(number_of(table), row);
  return cursor.expect('}', "after a row");
}

StatusOr<WireWriter> write_locations(const Module& module) {
  WireWriter out;
  for (const LocationTable& table : text::location_tables()) {
    const std::string* const text = other(module, table.word);
    if (text == nullptr) continue;
    Cursor cursor(*text, table.word);
    while (!cursor.at_end()) HILO_RETURN_IF_ERROR(write_row(table, cursor, out));
  }
  return out;
}

StatusOr<std::string> row_text(const LocationTable& table, std::string_view item) {
  if (table.keys.empty()) return text::quoted_text(item);
  HILO_ASSIGN_OR_RETURN(const WireMessage row, WireMessage::read(item, table.word));
  std::string text;
  for (const std::string_view key : table.keys) {
    HILO_ASSIGN_OR_RETURN(int64_t value, row.integer(number_of(key)));
    if (key == text::kParentFrame && value < INT64_MAX) ++value;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return "{" + text + "}";
}

/// Reads the tables by converting them to HLO text, whose reader checks them.
Status read_locations(const WireMessage& message, Module& module) {
  std::string text;
  for (const LocationTable& table : text::location_tables()) {
    HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(number_of(table)));
    text += fmt::format("{}\n", table.word);
    for (size_t i = 0; i < items.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(const std::string row, row_text(table, items[i]));
      text += fmt::format("{} {}\n", i + 1, row);
    }
  }
  if (message.fields().empty()) return ok_status();
  Cursor cursor(text, "StackFrameIndexProto");
  return text::read_location_tables(cursor, module);
}

Status write_other(std::string_view key, const std::string& value, WireWriter& out) {
  if (text::is_location_table(key)) return ok_status();
  if (std::find(std::begin(kConfiguration), std::end(kConfiguration), key) != std::end(kConfiguration))
    return ok_status();
  const bool donors = key == "buffer_donor";
  if (!donors && key != "frontend_attributes")
    return unimplemented(fmt::format("attribute {} of a module can't be represented in HloModuleProto", quote(key)));
  HILO_ASSIGN_OR_RETURN(const WireWriter message, donors ? write_donors(value) : write_frontend_attributes(value));
  out.message(donors ? kBufferDonor : kModuleFrontendAttributes, message);
  return ok_status();
}

}  // namespace

WireWriter write_entry_shape(const Module& module, const MemorySpaces& memories) {
  ProgramShape shape{module.entry->parameter_shapes(), module.entry->result_shape()};
  if (module.entry_parameter_layouts) shape.parameters = *module.entry_parameter_layouts;
  if (module.entry_result_layout) shape.result = *module.entry_result_layout;
  std::vector<std::string> names;
  for (size_t i = 0; i < shape.parameters.size(); ++i)
    names.push_back(text::plain_name(module.entry->parameter(i).name));
  return write_program_shape(shape, names, memories);
}

Status write_header(const Module& module, WireWriter& out) {
  out.message(kHostProgramShape, write_entry_shape(module));
  if (!module.aliases.empty()) out.message(kModuleAliases, write_aliases(module));
  HILO_ASSIGN_OR_RETURN(const WireWriter locations, write_locations(module));
  if (!locations.empty()) out.message(kStackFrames, locations);
  for (const auto& [key, value] : module.other_attributes) HILO_RETURN_IF_ERROR(write_other(key, value, out));
  return ok_status();
}

Status read_header(const WireMessage& message, Module& module) {
  for (const WireField& field : message.fields()) {
    if (field.number > kLastKnown)
      return unimplemented(fmt::format("HloModuleProto: field {} is not known to this version", field.number));
  }
  HILO_ASSIGN_OR_RETURN(module.name, message.text(kName));
  if (const WireField* const field = message.find(kHostProgramShape); field != nullptr) {
    ShapeReader shapes;
    HILO_ASSIGN_OR_RETURN(ProgramShape shape, read_program_shape(field->bytes, shapes));
    module.entry_parameter_layouts = std::move(shape.parameters);
    module.entry_result_layout = shape.result;
  }
  HILO_ASSIGN_OR_RETURN(const WireMessage aliases, message.message(kModuleAliases, "HloInputOutputAliasProto"));
  HILO_RETURN_IF_ERROR(read_aliases(aliases, module));
  HILO_ASSIGN_OR_RETURN(const WireMessage donors, message.message(kBufferDonor, "HloBufferDonorProto"));
  HILO_RETURN_IF_ERROR(read_donors(donors, module));
  HILO_ASSIGN_OR_RETURN(const WireMessage frontend, message.message(kModuleFrontendAttributes, "FrontendAttributes"));
  HILO_ASSIGN_OR_RETURN(const std::string attributes, read_frontend_attributes(frontend));
  if (!attributes.empty()) module.other_attributes.emplace_back("frontend_attributes", attributes);
  HILO_ASSIGN_OR_RETURN(const WireMessage locations, message.message(kStackFrames, "StackFrameIndexProto"));
  return read_locations(locations, module);
}

}  // namespace hilo::hlo::proto
