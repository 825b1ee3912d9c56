// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/compile_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/flag_table.h"
#include "hilo/base/sizes.h"

namespace hilo {

std::string CompileLimits::to_string() const {
  return fmt::format("{{instructions: {}, compile_seconds: {}, memory_bytes: {}, run_seconds: {}}}", instructions,
                     compile_seconds, memory_bytes, run_seconds);
}

std::string CompileEffort::to_string() const {
  return fmt::format("{{effort: {}, budget: {}, tiers: {}}}", kEffortNames[ordinal(effort)], budget, tiers);
}

std::optional<Effort> effort_of_name(std::string_view name) {
  const auto at = std::ranges::find(kEffortNames, name);
  if (at == kEffortNames.end()) return std::nullopt;
  return static_cast<Effort>(at - kEffortNames.begin());
}

std::string CompileOptions::to_string() const {
  const auto text = [](const auto& value) { return value ? "\"" + *value + "\"" : std::string("unset"); };
  return "{generate_hlo_graph: " + text(generate_hlo_graph) +
         ", dump_unoptimized_hlo_proto_to: " + text(dump_unoptimized_hlo_proto_to) +
         ", dump_optimized_hlo_proto_to: " + text(dump_optimized_hlo_proto_to) +
         ", dump_per_pass_hlo_proto_to: " + text(dump_per_pass_hlo_proto_to) +
         ", hlo_profile: " + (hlo_profile ? "true" : "false") +
         ", straight_lines: " + (straight_lines ? "true" : "false") +
         ", result_shape: " + (result_shape ? result_shape->to_string_with_layout() : "unset") +
         ", replica_count: " + std::to_string(replica_count) +
         ", device_assignment: " + (device_assignment ? device_assignment->to_string() : "unset") +
         ", limits: " + limits.to_string() + ", effort: " + effort.to_string() + "}";
}

}  // namespace hilo
