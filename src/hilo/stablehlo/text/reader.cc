// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/reader.h"

#include <fmt/format.h>

#include "hilo/stablehlo/text/elements.h"
#include "hilo/stablehlo/text/locations.h"
#include "hilo/stablehlo/text/operations.h"

namespace hilo::stablehlo {
namespace {

/// Returns whether the text consists of a single module, which is then the root.
bool is_one_module(const ModuleTree& tree, RegionId top) {
  const Region& region = tree.regions[top];
  return region.first != kNone && region.first == region.last && tree.operations[region.first].name == "builtin.module";
}

Status read_all(TextReader& reader, size_t begin, size_t end) {
  HILO_RETURN_IF_ERROR(find_aliases(reader, begin, end));
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  HILO_ASSIGN_OR_RETURN(PendingOperation* const root,
                        begin_operation(reader, known_operation(reader, "module"), begin));
  tree.regions.push_back({});
  while (!cursor.at_end() && !cursor.next_is("{-#")) {
    if (cursor.next_is("#") || cursor.next_is("!")) {  // an alias, which is read on its use
      const size_t line_end = cursor.between(0, end).find('\n', cursor.position());
      size_t next = line_end == std::string_view::npos ? end : line_end;
      cursor.set_position(next);
      continue;
    }
    HILO_RETURN_IF_ERROR(read_operation(reader, 0));
  }
  HILO_RETURN_IF_ERROR(read_resources(reader));
  root->regions.push_back(tree.regions[0]);
  const bool wrapped = is_one_module(tree, 0);
  HILO_RETURN_IF_ERROR(finish_operation(reader, *root, kNone));
  if (wrapped) tree.operations[0] = tree.operations[tree.regions[0].first];
  return ok_status();
}

}  // namespace

StatusOr<ModuleTree> read_text(std::string_view text, std::string_view source, size_t begin, size_t end) {
  ModuleTree tree;
  tree.source = source;
  end = std::min(end, text.size());
  TextReader reader{Cursor(text, source, begin, end), tree, ValueNames(text.size())};
  HILO_RETURN_IF_ERROR(read_all(reader, begin, end));
  return tree;
}

std::vector<std::pair<size_t, size_t>> split_text(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> parts;
  size_t begin = 0;
  for (size_t at = 0; (at = text.find("// -----", at)) != std::string_view::npos; at += 8) {
    if (at != 0 && text[at - 1] != '\n') continue;
    parts.emplace_back(begin, at);
    begin = at + 8;
  }
  parts.emplace_back(begin, text.size());
  return parts;
}

}  // namespace hilo::stablehlo
