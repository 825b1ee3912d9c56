// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/text/fields.h"
#include "hilo/hlo/text/location_tables.h"

namespace hilo::hlo::text {
namespace {

/// The required form of a header attribute's value.
enum class HeaderValue : uint8_t { kBoolean, kInteger, kBraced, kBooleans };

/// Attributes that XLA's parser accepts and that hilo stores as written.
struct HeaderAttribute {
  std::string_view name;
  HeaderValue value;
};
constexpr HeaderAttribute kHeaderKept[] = {
    {"alias_passthrough_params", HeaderValue::kBoolean},
    {"allow_spmd_sharding_propagation_to_output", HeaderValue::kBooleans},
    {"allow_spmd_sharding_propagation_to_parameters", HeaderValue::kBooleans},
    {"buffer_donor", HeaderValue::kBraced},
    {"frontend_attributes", HeaderValue::kBraced},
    {"is_scheduled", HeaderValue::kBoolean},
    {"num_partitions", HeaderValue::kInteger},
    {"origin_recovery_table", HeaderValue::kBraced},
    {"replica_count", HeaderValue::kInteger},
};
constexpr std::string_view kAliases = "input_output_alias", kEntryLayout = "entry_computation_layout";

/// Reads `{0,1}`, a path into a tuple.
StatusOr<std::vector<int64_t>> read_path(Cursor& cursor) {
  std::vector<int64_t> path;
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before an index into a tuple"));
  while (cursor.peek() != '}') {
    const size_t position = cursor.position();
    HILO_ASSIGN_OR_RETURN(const int64_t index, cursor.integer("an index into a tuple"));
    if (index < 0) return cursor.error(position, fmt::format("negative index {}", index));
    path.push_back(index);
    if (!cursor.accept(',')) break;
  }
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after an index into a tuple"));
  return path;
}

/// Reads `{0}: (1, {}, may-alias)`. The path and the kind are optional; without both, so are the parentheses.
Status read_alias(Cursor& cursor, Module& module) {
  Alias alias;
  HILO_ASSIGN_OR_RETURN(alias.result_index, read_path(cursor));
  HILO_RETURN_IF_ERROR(cursor.expect(':', "after the result's index"));
  const bool parentheses = cursor.accept('(');
  HILO_ASSIGN_OR_RETURN(alias.parameter_number, cursor.integer("a parameter number"));
  if (parentheses) {
    if (cursor.accept(',')) {
      HILO_ASSIGN_OR_RETURN(alias.parameter_index, read_path(cursor));
    }
    if (cursor.accept(',')) {
      alias.must_alias = cursor.accept_word("must-alias");
      if (!alias.must_alias && !cursor.accept_word("may-alias"))
        return cursor.unexpected("may-alias or must-alias", "");
    }
    HILO_RETURN_IF_ERROR(cursor.expect(')', "after an alias"));
  }
  module.aliases.push_back(std::move(alias));
  return ok_status();
}

Status read_aliases(Cursor& cursor, Module& module) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before input_output_alias"));
  if (cursor.accept('}')) return ok_status();
  do {
    HILO_RETURN_IF_ERROR(read_alias(cursor, module));
  } while (cursor.accept(','));
  return cursor.expect('}', "after input_output_alias");
}

/// Reads `{(f32[4]{0}, s32[])->f32[4]{0}}`.
Status read_entry_layout(Cursor& cursor, ShapeReader& shapes, Module& module) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before entry_computation_layout"));
  HILO_RETURN_IF_ERROR(cursor.expect('(', "before the layouts of the parameters"));
  module.entry_parameter_layouts.emplace();
  if (!cursor.accept(')')) {
    do {
      HILO_ASSIGN_OR_RETURN(const Shape shape, shapes.read(cursor));
      module.entry_parameter_layouts->push_back(shape);
    } while (cursor.accept(','));
    HILO_RETURN_IF_ERROR(cursor.expect(')', "after the layouts of the parameters"));
  }
  HILO_RETURN_IF_ERROR(cursor.expect('-', "before the result's layout (\"->\")"));
  HILO_RETURN_IF_ERROR(cursor.expect('>', "before the result's layout (\"->\")"));
  HILO_ASSIGN_OR_RETURN(module.entry_result_layout, shapes.read(cursor));
  return cursor.expect('}', "after entry_computation_layout");
}

void append_aliases(const Module& module, std::string& out) {
  out += ", input_output_alias={ ";
  for (size_t i = 0; i < module.aliases.size(); ++i) {
    const Alias& alias = module.aliases[i];
    if (i != 0) out += ", ";
    append_list(alias.result_index, out);
    out += fmt::format(": ({}, ", alias.parameter_number);
    append_list(alias.parameter_index, out);
    out += alias.must_alias ? ", must-alias)" : ", may-alias)";
  }
  out += " }";
}

void append_entry_layout(const Module& module, bool layouts, std::string& out) {
  out += ", entry_computation_layout={(";
  for (size_t i = 0; i < module.entry_parameter_layouts->size(); ++i) {
    constexpr size_t kCountEvery = 5;
    if (i != 0) out += ", ";
    if (i != 0 && i % kCountEvery == 0) out += fmt::format("/*index={}*/", i);
    append_shape((*module.entry_parameter_layouts)[i], layouts, out);
  }
  out += ")->";
  append_shape(*module.entry_result_layout, layouts, out);
  out += '}';
}

Status unknown_attribute(const Cursor& cursor, size_t position, std::string_view key) {
  std::vector<std::string_view> names = {kAliases, kEntryLayout};
  for (const HeaderAttribute& attribute : kHeaderKept) names.push_back(attribute.name);
  return cursor.error(position, fmt::format("unknown attribute {} of a module; wanted one of {}.{}", quote(key),
                                            fmt::join(names, ", "), did_you_mean(key, names)));
}

/// Reads `{true,false}` and drops it.
Status skip_booleans(Cursor& cursor, std::string_view key) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before", key));
  do {
    if (cursor.peek() == '}') break;
    HILO_RETURN_IF_ERROR(cursor.boolean(key).status());
  } while (cursor.accept(','));
  return cursor.expect('}', "after", key);
}

Status skip_value(Cursor& cursor, const HeaderAttribute& attribute) {
  const bool braced = cursor.peek() == '{';
  switch (attribute.value) {
    case HeaderValue::kInteger: return cursor.integer(attribute.name).status();
    case HeaderValue::kBoolean: return cursor.boolean(attribute.name).status();
    case HeaderValue::kBooleans:
      return braced ? skip_booleans(cursor, attribute.name) : cursor.boolean(attribute.name).status();
    case HeaderValue::kBraced:
      return braced ? cursor.raw_value(attribute.name).status() : cursor.expect('{', "before", attribute.name);
  }
  return ok_status();
}

/// Reads an attribute that is stored as written.
Status read_stored(Cursor& cursor, size_t position, std::string_view key, Module& module) {
  const auto* const attribute = std::ranges::find(kHeaderKept, key, &HeaderAttribute::name);
  if (attribute == std::end(kHeaderKept)) return unknown_attribute(cursor, position, key);
  const size_t begin = cursor.position();
  HILO_RETURN_IF_ERROR(skip_value(cursor, *attribute));
  module.other_attributes.emplace_back(key, trimmed(cursor.between(begin, cursor.last_position())));
  return ok_status();
}

}  // namespace

Status read_header(Cursor& cursor, ShapeReader& shapes, Module& module) {
  HILO_ASSIGN_OR_RETURN(const std::string_view name, cursor.name("the module's name"));
  module.name = name;
  std::vector<std::string_view> seen;
  while (cursor.accept(',')) {
    const size_t position = cursor.position();
    const std::string_view key = cursor.identifier();
    if (key.empty()) return cursor.unexpected("an attribute of the module", "after ','");
    if (std::ranges::find(seen, key) != seen.end())
      return cursor.error(position, fmt::format("attribute {} appears twice", quote(key)));
    seen.push_back(key);
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after an attribute's name"));
    if (key == kAliases) {
      HILO_RETURN_IF_ERROR(read_aliases(cursor, module));
    } else if (key == kEntryLayout) {
      HILO_RETURN_IF_ERROR(read_entry_layout(cursor, shapes, module));
    } else {
      HILO_RETURN_IF_ERROR(read_stored(cursor, position, key, module));
    }
  }
  return ok_status();
}

namespace {

/// Returns the module's name in a form that XLA's lexer accepts; words of HLO get a '%'.
std::string header_name(const std::string& name) {
  constexpr std::string_view kWords[] = {"true",
                                         "false",
                                         "inf",
                                         "nan",
                                         "HloModule",
                                         "ENTRY",
                                         "ROOT",
                                         "FileLocations",
                                         "FileNames",
                                         "FunctionNames",
                                         "StackFrames",
                                         "maximal",
                                         "replicated",
                                         "manual",
                                         "unknown",
                                         "unreduced",
                                         "shard_as",
                                         "shard_like",
                                         "last_tile_dim_replicate"};
  if (name.empty()) return "module";
  return (std::ranges::find(kWords, name) != std::end(kWords) ? "%" : "") + plain_name(name);
}

}  // namespace

void append_header(const Module& module, bool layouts, std::string& out) {
  out += "HloModule " + header_name(module.name);
  const auto append_others = [&](bool scheduled) {
    for (const auto& [key, value] : module.other_attributes) {
      if ((key == "is_scheduled") == scheduled && !is_location_table(key)) out += fmt::format(", {}={}", key, value);
    }
  };
  append_others(true);  // XLA writes it first
  if (!module.aliases.empty()) append_aliases(module, out);
  if (module.entry_parameter_layouts && module.entry_result_layout) append_entry_layout(module, layouts, out);
  append_others(false);
  out += "\n\n";
  for (const auto& [key, value] : module.other_attributes) {
    if (is_location_table(key)) out += fmt::format("{}\n{}{}\n", key, value, value.empty() ? "" : "\n");
  }
}

}  // namespace hilo::hlo::text
