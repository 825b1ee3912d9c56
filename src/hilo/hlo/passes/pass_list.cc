// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/pass_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hilo/base/text.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {
namespace {

constexpr PassEntry kNormalizeLayouts{"normalize_layouts", normalize_layouts};
constexpr PassEntry kNormalizeCompares{"normalize_compares", normalize_compares};
constexpr PassEntry kOptimizeRemat{"optimize_remat", optimize_remat};
constexpr PassEntry kLowerExtensions{"lower_extensions", lower_extensions, lower_extensions};
constexpr PassEntry kInlineCalls{"inline_calls", inline_calls};
constexpr PassEntry kLowerWindows{"lower_windows", lower_windows};
constexpr PassEntry kSimplify{"simplify", simplify};
constexpr PassEntry kSimplifyConditional{"simplify_conditional", simplify_conditional};
constexpr PassEntry kSimplifyWhile{"simplify_while", simplify_while};
constexpr PassEntry kHoistInvariants{"hoist_invariants", hoist_invariants};
constexpr PassEntry kTurnProducts{"turn_products", turn_products};
constexpr PassEntry kFoldConstants{"fold_constants", fold_constants};
constexpr PassEntry kCse{"cse", cse};
constexpr PassEntry kRaiseWhile{"raise_while", raise_while};
constexpr PassEntry kRaiseErfInv{"raise_erf_inv", raise_erf_inv};
constexpr PassEntry kRaiseLgamma{"raise_lgamma", raise_lgamma};
constexpr PassEntry kRaiseDigamma{"raise_digamma", raise_digamma};
constexpr PassEntry kRaiseCumulative{"raise_cumulative", raise_cumulative};
constexpr PassEntry kRaiseLinalg{"raise_linalg", raise_linalg};
constexpr PassEntry kDce{"dce", dce};

constexpr PassEntry kAllPasses[] = {
    kNormalizeLayouts,
    kNormalizeCompares,
    kOptimizeRemat,
    kLowerExtensions,
    kInlineCalls,
    kLowerWindows,
    kSimplify,
    kSimplifyConditional,
    kSimplifyWhile,
    kHoistInvariants,
    kTurnProducts,
    kFoldConstants,
    kCse,
    kDce,
    kRaiseWhile,
    kRaiseLinalg,
    kRaiseErfInv,
    kRaiseLgamma,
    kRaiseDigamma,
    kRaiseCumulative,
};

constexpr PassEntry kDefaultPipeline[] = {
    kNormalizeLayouts, kNormalizeCompares,   kOptimizeRemat,   kLowerExtensions, kInlineCalls, kLowerWindows,
    kSimplify,         kSimplifyConditional, kHoistInvariants, kSimplifyWhile,   kSimplify,    kTurnProducts,
};

constexpr PassEntry kRaisePipeline[] = {kNormalizeLayouts, kNormalizeCompares, kRaiseErfInv, kRaiseLgamma,
                                        kRaiseDigamma,     kRaiseCumulative,   kRaiseLinalg, kRaiseWhile};

}  // namespace

std::span<const PassEntry> all_passes() { return kAllPasses; }
std::span<const PassEntry> default_pipeline() { return kDefaultPipeline; }
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
