// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/module_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/pjrt/propagation.h"
#include "hilo/pjrt/shapes.h"
#include "hilo/stablehlo/devices/mesh_axes.h"

namespace hilo::pjrt {
namespace {

using stablehlo::Attribute;
using stablehlo::ModuleTree;
using stablehlo::Operation;

/// The function that callers call: `main`, or else the only public one; null if there is none.
const Operation* entry_of(const ModuleTree& tree) {
  const Operation* found = nullptr;
  for (const Operation& operation : tree.operations) {
    if (operation.name != "func.func") continue;
    const Attribute* const name = tree.find(operation, "sym_name");
    if (name != nullptr && name->text == "main") return &operation;
    const Attribute* const visibility = tree.find(operation, "sym_visibility");
    if (visibility == nullptr || visibility->text != "private") found = &operation;
  }
  return found;
}

StatusOr<int> memory_kind(std::string_view name) {
  const auto found = std::ranges::find(kMemoryKinds, name);
  if (found != std::end(kMemoryKinds)) return static_cast<int>(found - std::begin(kMemoryKinds));
  return unimplemented(fmt::format("memory kind '{}' is unknown; known: device, pinned_host, unpinned_host", name));
}

StatusOr<Placement> sharded(const ModuleTree& tree, const Attribute& attribute, const Shape& shape, int64_t devices) {
  constexpr std::string_view kName = "#sdy.sharding";  // which text has, and bytecode has not
  std::string_view text = attribute.text;
  if (text.starts_with(kName)) text.remove_prefix(kName.size());
  HILO_ASSIGN_OR_RETURN(const std::vector<stablehlo::Sharding> shardings,
                        stablehlo::parse_shardings(fmt::format("[{}]", text)));
  if (shardings.size() != 1) return invalid_argument("wanted one sharding");
  stablehlo::Mesh mesh = shardings[0].mesh;
  if (!shardings[0].mesh_name.empty()) {
    HILO_ASSIGN_OR_RETURN(mesh, stablehlo::find_mesh(tree, shardings[0].mesh_name));
  }
  return placement_of(shape, shardings[0], mesh, devices);
}

/// `{0,1}`, minor to major; "default" and "auto" leave the choice to the compiler.
StatusOr<Shape> laid_out(const Shape& shape, std::string_view mode) {
  if (mode == "default" || mode == "auto" || mode.empty()) return shape;
  std::vector<int64_t> order;
  for (size_t at = 0; at < mode.size();) {
    if (mode[at] < '0' || mode[at] > '9') {
      if (mode[at] == ':') return unimplemented(fmt::format("layout {}: tiles and memory spaces", mode));
      ++at;
      continue;
    }
    int64_t number = 0;
    for (; at < mode.size() && mode[at] >= '0' && mode[at] <= '9'; ++at)
      number = std::min<int64_t>(number * 10 + (mode[at] - '0'), 1 << 20);
    order.push_back(number);
  }
  PJRT_Buffer_MemoryLayout layout{};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  return with_layout(shape, &layout);
}

Status read_fact(const ModuleTree& tree, std::string_view name, const Attribute& value, int64_t devices,
                 ProgramValue& out) {
  if (name == "sdy.sharding") {
    if (devices == 1) return ok_status();
    HILO_ASSIGN_OR_RETURN(out.placement, sharded(tree, value, out.placement.whole, devices));
  } else if (name == "mhlo.memory_kind") {
    HILO_ASSIGN_OR_RETURN(out.memory_kind, memory_kind(value.text));
  } else if (name == "mhlo.layout_mode") {
    HILO_ASSIGN_OR_RETURN(const Shape whole, laid_out(out.placement.whole, value.text));
    out.placement.part = out.placement.part.with_layout(whole.minor_to_major());
    out.placement.whole = whole;
  } else if (name == "tf.aliasing_output" || name == "jax.buffer_donor") {
    out.donated = true;
  }
  return ok_status();
}

Status read_list(const ModuleTree& tree, const Attribute* list, int64_t devices, std::vector<ProgramValue>& values,
                 std::string_view what) {
  if (list == nullptr) return ok_status();
  for (size_t i = 0; i < std::min(values.size(), list->elements.size()); ++i) {
    for (const auto& [name, id] : tree.attributes[list->elements[i]].entries) {
      const Status status = read_fact(tree, name, tree.attributes[id], devices, values[i]);
      if (!status.ok()) return status.with_context(fmt::format("{} {}", what, i));
    }
  }
  return ok_status();
}

}  // namespace

Status read_facts(const ModuleTree& tree, int64_t devices, std::vector<ProgramValue>& arguments,
                  std::vector<ProgramValue>& results) {
  const Operation* const entry = entry_of(tree);
  if (entry == nullptr) return ok_status();
  HILO_RETURN_IF_ERROR(read_list(tree, tree.find(*entry, "arg_attrs"), devices, arguments, "argument"));
  place_results(tree, *entry, devices, results);
  return read_list(tree, tree.find(*entry, "res_attrs"), devices, results, "result");
}

}  // namespace hilo::pjrt
