// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/compiler_options.h"

#include <algorithm>
#include <vector>

#include "hilo/array/error.h"
#include "hilo/base/text.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/device/compile_options.h"

namespace hilo {
namespace {

[[noreturn]] void refuse_value(const std::string& name, const std::string& value, const char* expected) {
  or_throw(invalid_argument("compiler option '" + name + "': got " + quote(value) + ", wanted " + expected));
  __builtin_unreachable();
}

int64_t count_of(const std::string& name, const std::string& value) {
  const std::optional<int64_t> count = parse_int64(value);
  if (!count || *count < 0) refuse_value(name, value, "an integer >= 0");
  return *count;
}

bool truth_of(const std::string& name, const std::string& value) {
  const std::string text = ascii_lower(value);
  if (text != "true" && text != "false") refuse_value(name, value, "true or false");
  return text == "true";
}

Effort effort_named(const std::string& name, const std::string& value) {
  const std::optional<Effort> effort = effort_of_name(ascii_lower(value));
  if (!effort) refuse_value(name, value, "fastest, default or best");
  return *effort;
}

struct Option {
  std::string_view name;
  void (*set)(CompileOptions& options, const std::string& name, const std::string& value);
};

constexpr Option kOptions[] = {
    {"hilo_max_instructions",
     [](CompileOptions& o, const std::string& n, const std::string& v) { o.limits.instructions = count_of(n, v); }},
    {"hilo_max_memory",
     [](CompileOptions& o, const std::string& n, const std::string& v) { o.limits.memory_bytes = count_of(n, v); }},
    {"hilo_compile_seconds",
     [](CompileOptions& o, const std::string& n, const std::string& v) {
       o.limits.compile_seconds = static_cast<double>(count_of(n, v));
     }},
    {"hilo_effort",
     [](CompileOptions& o, const std::string& n, const std::string& v) { o.effort.effort = effort_named(n, v); }},
    {"hilo_budget_milliseconds",
     [](CompileOptions& o, const std::string& n, const std::string& v) {
       o.effort.budget = static_cast<double>(count_of(n, v)) * 1e-3;
     }},
    {"hilo_tiers",
     [](CompileOptions& o, const std::string& n, const std::string& v) { o.effort.tiers = truth_of(n, v); }},
    {"hilo_run_seconds", [](CompileOptions& o, const std::string& n,
                            const std::string& v) { o.limits.run_seconds = static_cast<double>(count_of(n, v)); }},
    {"jax_hlo_profile",
     [](CompileOptions& o, const std::string& n, const std::string& v) { o.hlo_profile = truth_of(n, v); }},
    {"jax_dump_hlo_graph",
     [](CompileOptions& o, const std::string&, const std::string& v) { o.generate_hlo_graph = v; }},
    {"jax_dump_hlo_unoptimized",
     [](CompileOptions& o, const std::string&, const std::string& v) {
       o.dump_unoptimized_hlo_proto_to = or_throw(hlo_path(v, "hlo_unoptimized"));
     }},
    {"jax_dump_hlo_optimized",
     [](CompileOptions& o, const std::string&, const std::string& v) {
       o.dump_optimized_hlo_proto_to = or_throw(hlo_path(v, "hlo_optimized"));
     }},
    {"jax_dump_hlo_per_pass",
     [](CompileOptions& o, const std::string&, const std::string& v) {
       o.dump_per_pass_hlo_proto_to = or_throw(hlo_path(v, "hlo_per_pass"));
     }},
};

}  // namespace

void set_compiler_options(const CompilerOptions& requested, CompileOptions& options) {
  for (const auto& [name, value] : requested) {
    const Option* const option = std::ranges::find(kOptions, std::string_view(name), &Option::name);
    if (option == std::end(kOptions)) {
      std::vector<std::string_view> names;
      for (const Option& known : kOptions) names.push_back(known.name);
      or_throw(invalid_argument("No such compile option: " + quote(name) + "; wanted one of " + join(names, ", ") +
                                "." + did_you_mean(name, names)));
    }
    option->set(options, name, value);
  }
}

}  // namespace hilo
