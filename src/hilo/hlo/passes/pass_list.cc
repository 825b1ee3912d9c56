// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/pass_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hilo/base/text.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {
namespace {

constexpr PassEntry kNormalizeLayouts{"normalize_layouts", normalize_layouts};  // make all shapes row-major
// reduce comparison types to those of the operands
constexpr PassEntry kNormalizeCompares{"normalize_compares", normalize_compares};
// compute values without fwd if no residual is needed
constexpr PassEntry kOptimizeRemat{"optimize_remat", optimize_remat};
// decompose scan and other extension ops to plain HLO
constexpr PassEntry kLowerExtensions{"lower_extensions", lower_extensions, lower_extensions};
constexpr PassEntry kInlineCalls{"inline_calls", inline_calls};     // inline calls
constexpr PassEntry kLowerWindows{"lower_windows", lower_windows};  // decompose pooling to slices and arithmetic
constexpr PassEntry kSimplify{"simplify", simplify};                // algebra, folding and sharing in one sweep
constexpr PassEntry kSimplifyConditional{"simplify_conditional", simplify_conditional};  // select known branches
constexpr PassEntry kSimplifyWhile{"simplify_while", simplify_while};                    // drop unneeded carries
// move loop-invariant computations out of loops
constexpr PassEntry kHoistInvariants{"hoist_invariants", hoist_invariants};
// swap operands of products that are read transposed
constexpr PassEntry kTurnProducts{"turn_products", turn_products};
constexpr PassEntry kFoldConstants{"fold_constants", fold_constants};  // fold constants
constexpr PassEntry kCse{"cse", cse};                                  // merge equal instructions
constexpr PassEntry kRaiseWhile{"raise_while", raise_while};           // convert counted loops to scans
constexpr PassEntry kRaiseErfInv{"raise_erf_inv", raise_erf_inv};      // recognize written-out erf_inv
constexpr PassEntry kRaiseLgamma{"raise_lgamma", raise_lgamma};        // recognize written-out lgamma
constexpr PassEntry kRaiseDigamma{"raise_digamma", raise_digamma};     // recognize written-out digamma
// recognize windows that are cumulative reductions
constexpr PassEntry kRaiseCumulative{"raise_cumulative", raise_cumulative};
constexpr PassEntry kRaiseLinalg{"raise_linalg", raise_linalg};  // convert LAPACK calls to decompositions
constexpr PassEntry kDce{"dce", dce};                            // drop unused instructions

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
