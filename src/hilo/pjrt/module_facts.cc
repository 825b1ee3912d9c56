// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/module_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hilo/pjrt/shapes.h"
#include "hilo/stablehlo/devices/propagation.h"

namespace hilo::pjrt {
namespace {

using stablehlo::Attribute;
using stablehlo::ModuleTree;

StatusOr<int> memory_kind(std::string_view name) {
  const auto found = std::ranges::find(kMemoryKinds, name);
  if (found != std::end(kMemoryKinds)) return static_cast<int>(found - std::begin(kMemoryKinds));
  return unimplemented(fmt::format("memory kind '{}' is unknown; known: device, pinned_host, unpinned_host", name));
}

/// Parses `{0,1}`, minor to major. "default" and "auto" leave the choice to the compiler.
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
  if (devices > 1 && out.placement.whole.is_array()) {
    HILO_ASSIGN_OR_RETURN(const auto sharding, stablehlo::sharding_of(tree, name, value, out.placement.whole.rank()));
    if (sharding) {
      HILO_ASSIGN_OR_RETURN(out.placement, placement_of(out.placement.whole, *sharding, sharding->mesh, devices));
    }
  }
  if (name == "mhlo.memory_kind") {
    HILO_ASSIGN_OR_RETURN(out.memory_kind, memory_kind(value.text));
  } else if (name == "mhlo.layout_mode") {
    HILO_ASSIGN_OR_RETURN(const Shape whole, laid_out(out.placement.whole, value.text));
    out.placement.part = out.placement.part.with_layout(whole.minor_to_major());
    out.placement.whole = whole;
    out.free_layout = value.text == "auto";
  } else if (name == "tf.aliasing_output") {
    out.donated = true;
  } else if (name == "jax.buffer_donor") {
    out.donor = true;
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
  const stablehlo::Operation* const entry = stablehlo::entry_function(tree);
  if (entry == nullptr) return ok_status();
  HILO_RETURN_IF_ERROR(read_list(tree, tree.find(*entry, "arg_attrs"), devices, arguments, "argument"));
  return read_list(tree, tree.find(*entry, "res_attrs"), devices, results, "result");
}

void settle_donors(std::vector<ProgramValue>& arguments, const std::vector<ProgramValue>& results) {
  std::multiset<int64_t> sizes;  // sizes on one device of results without an alias
  for (const ProgramValue& result : results) sizes.insert(result.placement.part.byte_size());
  const auto takes = [&](const ProgramValue& argument) {
    const auto found = sizes.find(argument.placement.part.byte_size());
    if (found == sizes.end()) return false;
    sizes.erase(found);
    return true;
  };
  for (const ProgramValue& argument : arguments) {
    if (argument.donated) (void)takes(argument);
  }
  for (ProgramValue& argument : arguments) argument.donated = argument.donated || (argument.donor && takes(argument));
}

}  // namespace hilo::pjrt
