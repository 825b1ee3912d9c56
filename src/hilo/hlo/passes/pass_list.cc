// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/pass_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {
namespace {

StatusOr<bool> lower_extensions_for(Module& module, const EngineFacts& engine) {
  return lower_extensions(module, engine.whole);
}
StatusOr<bool> lower_windows_for(Module& module, const EngineFacts& engine) {
  return lower_windows(module, engine.whole);
}
StatusOr<bool> lower_small_linalg_for(Module& module, const EngineFacts& engine) {
  return lower_small_linalg(module, engine.small_matrices);
}

StatusOr<bool> sink_reductions_for(Module& module, const EngineFacts& engine) {
  return sink_reductions(module, engine.core_cache_bytes);
}

constexpr PassEntry kAllPasses[] = {
    {"normalize_layouts", normalize_layouts},
    {"normalize_compares", normalize_compares},
    {"normalize_nans", normalize_nans},
    {"optimize_remat", optimize_remat},
    {"lower_extensions", lower_extensions, lower_extensions_for},
    {"inline_calls", inline_calls},
    {"lower_windows", lower_windows, lower_windows_for},
    {"lower_small_linalg", lower_small_linalg, lower_small_linalg_for},
    {"simplify", simplify},
    {"simplify_conditional", simplify_conditional},
    {"simplify_while", simplify_while},
    {"hoist_invariants", hoist_invariants},
    {"sink_reductions", sink_reductions, sink_reductions_for},
    {"turn_products", turn_products},
    {"fold_constants", fold_constants},
    {"cse", cse},
    {"dce", dce},
    {"raise_while", raise_while},
    {"raise_linalg", raise_linalg},
    {"raise_erf_inv", raise_erf_inv},
    {"raise_lgamma", raise_lgamma},
    {"raise_digamma", raise_digamma},
    {"raise_cumulative", raise_cumulative},
};

/// Returns the pass of that name; a name that doesn't exist fails to compile.
consteval PassEntry pass(std::string_view name) { return *std::ranges::find(kAllPasses, name, &PassEntry::name); }

constexpr PassEntry kDefaultPipeline[] = {
    pass("normalize_layouts"),  pass("normalize_compares"), pass("optimize_remat"),
    pass("lower_extensions"),   pass("inline_calls"),       pass("lower_windows"),
    pass("lower_small_linalg"), pass("simplify"),           pass("simplify_conditional"),
    pass("hoist_invariants"),   pass("sink_reductions"),    pass("simplify_while"),
    pass("simplify"),           pass("turn_products")};

constexpr PassEntry kExactPipeline[] = {pass("normalize_nans")};

constexpr PassEntry kRaisePipeline[] = {
    pass("normalize_layouts"), pass("normalize_compares"), pass("raise_erf_inv"), pass("raise_lgamma"),
    pass("raise_digamma"),     pass("raise_cumulative"),   pass("raise_linalg"),  pass("raise_while"),
};

}  // namespace

std::span<const PassEntry> all_passes() { return kAllPasses; }
std::span<const PassEntry> default_pipeline() { return kDefaultPipeline; }
std::span<const PassEntry> exact_pipeline() { return kExactPipeline; }
std::span<const PassEntry> raise_pipeline() { return kRaisePipeline; }

StatusOr<PassEntry> find_pass(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PassEntry& pass : kAllPasses) {
    if (pass.name == name) return pass;
    names.push_back(pass.name);
  }
  return not_found(fmt::format("pass {} doesn't exist; wanted one of {}.{}", quote(name), fmt::join(names, ", "),
                               did_you_mean(name, names)));
}

StatusOr<std::vector<PassEntry>> parse_pass_list(std::string_view names) {
  std::vector<PassEntry> passes;
  while (!trimmed(names).empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    HILO_ASSIGN_OR_RETURN(const PassEntry pass, find_pass(trimmed(names.substr(0, comma))));
    passes.push_back(pass);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return passes;
}

}  // namespace hilo::hlo
