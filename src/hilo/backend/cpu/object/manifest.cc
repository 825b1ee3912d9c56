// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/manifest.h"

#include <fmt/format.h>

#include "hilo/backend/cpu/object/services.h"
#include "hilo/base/json.h"
#include "hilo/version.h"

namespace hilo::cpu {
namespace {

template <typename Item, typename Write>
std::string listed(const std::vector<Item>& items, const char* separator, const Write& write) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : separator) + write(item);
  return "[" + text + "]";
}

std::string array_json(const CArray& array) {
  const std::vector<int64_t> extents(array.shape.dimensions().begin(), array.shape.dimensions().end());
  return fmt::format(R"(
    {{"name": {}, "path": {}, "type": "{}", "shape": {}, "bytes": {}}})",
                     json_string(array.name), json_string(array.path), element_type_name(array.shape.element_type()),
                     listed(extents, ", ", [](int64_t extent) { return std::to_string(extent); }),
                     array.shape.byte_size());
}

}  // namespace

std::string object_manifest(const CInterface& interface, const ObjectFigures& figures) {
  const std::string work = figures.work ? fmt::format(R"({{"operations": {:.0f}, "bytes": {:.0f}}})",
                                                      figures.work->operations, figures.work->bytes)
                                        : "null";
  return fmt::format(R"({{
  "name": {},
  "program": {},
  "hilo": "{}",
  "abi": {},
  "target": "{}",
  "exact": {},
  "runtime": "{}",
  "arena": {{"bytes": {}, "align": {}}},
  "stack_bytes": {},
  "text_bytes": {},
  "data_bytes": {},
  "kernels": {},
  "loops": {},
  "library_calls": {},
  "work": {},
  "undefined": {},
  "arguments": {},
  "results": {}
}}
)",
                     json_string(interface.name), json_string(figures.program), HILO_VERSION_STRING, kObjectAbi,
                     target_name(figures.isas), is_exact(figures.isas[0]),
                     figures.runtime == ObjectRuntime::kNone ? "none" : "rt", figures.arena_bytes, kArenaAlignment,
                     figures.stack_bytes, figures.text_bytes, figures.data_bytes, figures.kernels, figures.loops,
                     figures.library_calls, work, listed(figures.undefined, ", ", json_string),
                     listed(interface.arguments, ",", array_json), listed(interface.results, ",", array_json));
}

}  // namespace hilo::cpu
