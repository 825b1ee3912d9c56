// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/locations.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::stablehlo {
namespace {

/// Reads a location: the innermost file and line, and the outermost name. For a call, the callee's location is used.
/// Aliases and nested locations are followed in a loop; other parts are skipped.
Status read_parts(TextReader& reader, Location& location) {
  Cursor& cursor = reader.cursor;
  for (int steps = 0; steps < kMaxNesting; ++steps) {
    const size_t position = cursor.position();
    if (cursor.accept("#")) {
      const std::string_view name = cursor.suffix();
      const auto alias = reader.aliases.find(cursor.between(position, position + 1 + name.size()));
      if (alias == reader.aliases.end()) return ok_status();
      cursor.set_position(alias->second);
      continue;
    }
    if (cursor.peek() == '"') {
      HILO_ASSIGN_OR_RETURN(const std::string text, cursor.quoted("a location"));
      if (cursor.accept(":")) {
        location.file = reader.tree.intern(text);
        HILO_ASSIGN_OR_RETURN(location.line, cursor.integer("a line"));
        return ok_status();
      }
      if (location.name.empty()) location.name = reader.tree.intern(text);
      if (!cursor.accept("(")) return ok_status();
      continue;
    }
    if (cursor.accept_word("callsite") || cursor.accept_word("loc")) {
      HILO_RETURN_IF_ERROR(cursor.expect("(", "in a location"));
      continue;
    }
    if (cursor.accept_word("fused")) {
      if (cursor.next_is("<")) HILO_RETURN_IF_ERROR(cursor.skip_balanced());
      HILO_RETURN_IF_ERROR(cursor.expect("[", "in a fused location"));
      continue;
    }
    return ok_status();  // unknown, or a form without a place
  }
  return ok_status();
}

}  // namespace

StatusOr<LocationId> read_location(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  const size_t begin = cursor.position();
  if (!cursor.accept_word("loc")) return LocationId{0};
  if (!cursor.next_is("(")) {
    cursor.set_position(begin);
    return LocationId{0};
  }
  const size_t open = cursor.position();
  HILO_RETURN_IF_ERROR(cursor.skip_balanced());
  const size_t end = cursor.last_position();
  cursor.set_position(open + 1);
  size_t meaning = open;
  if (cursor.peek() == '#') {
    const size_t position = cursor.position();
    cursor.accept("#");
    const std::string_view name = cursor.suffix();
    const auto alias = reader.aliases.find(cursor.between(position, position + 1 + name.size()));
    if (alias != reader.aliases.end()) meaning = alias->second;
    cursor.set_position(open + 1);
  }
  const auto known = reader.location_aliases.find(meaning);
  if (known != reader.location_aliases.end()) {
    cursor.set_position(end);
    return known->second;
  }
  Location location;
  HILO_RETURN_IF_ERROR(read_parts(reader, location));
  cursor.set_position(end);
  LocationId id = 0;
  if (!location.name.empty() || !location.file.empty()) {
    tree.locations.push_back(location);
    id = static_cast<LocationId>(tree.locations.size() - 1);
  }
  reader.location_aliases.emplace(meaning, id);
  return id;
}

Status find_aliases(TextReader& reader, size_t begin, size_t end) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  // Definitions begin a line, so all of them are found by the first byte of each line, before or after their use.
  Cursor lines = cursor.part(begin, end);
  const std::string_view text = lines.between(0, end);
  size_t count = 1;
  for (size_t line = begin; line < end; ++count) {
    if (text[line] == '#' || text[line] == '!') {
      Cursor definition = cursor.part(line + 1, end);
      const std::string_view name = definition.suffix();
      if (!name.empty() && definition.accept("=")) {
        reader.aliases.emplace(definition.between(line, line + 1 + name.size()), definition.position());
      }
    }
    const size_t next = text.find('\n', line);
    if (next == std::string_view::npos) break;
    line = next + 1;
  }
  // Most operations have their own line. Shorter lines, such as empty ones, don't contain an operation.
  constexpr size_t kMinOperationBytes = 16;  // bytes
  count = std::min(count, (end - begin) / kMinOperationBytes + 1);
  tree.operations.reserve(count);
  tree.values.reserve(count);
  tree.operand_pool.reserve(count);
  tree.attribute_pool.reserve(count);
  tree.attributes.reserve(count);
  return ok_status();
}

}  // namespace hilo::stablehlo
