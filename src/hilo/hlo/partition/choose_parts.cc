// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/choose_parts.h"

#include <algorithm>

#include "hilo/hlo/partition/reshard.h"

namespace hilo::hlo {
namespace {

struct Voter {
  const ArrayFactors* factors;
  const ArraySplit* split;
  int64_t elements;
  bool is_result;
};

/// The options of one attempt to choose a sharding.
struct Options {
  bool keeps_results_small = true;  ///< gather operands along a factor if that moves fewer elements
  bool leaves_sums = true;          ///< shard factors whose results must then be reduced
  bool moves_away = false;          ///< move the axes of a factor that must be whole to another factor
};

int64_t elements_of(const Shape& shape) { return shape.is_array() ? shape.element_count() : 0; }

/// Returns the atoms of an array's dimensions by factor, as far as they fill the factors from the major end on.
std::vector<Atoms> by_factor(const LocalOp& op, const Voter& array, const MeshAtoms& mesh) {
  std::vector<Atoms> result(op.rule.factors.size());
  for (size_t d = 0; d < array.split->size(); ++d) {
    const std::vector<int>& factors = (*array.factors)[d];
    size_t next = 0;
    int64_t left = factors.empty() ? 1 : op.sizes[factors[0]];
    for (const uint16_t atom : (*array.split)[d]) {
      while (left == 1 && next + 1 < factors.size()) left = op.sizes[factors[++next]];
      if (next >= factors.size() || left % mesh.size(atom) != 0) break;
      result[factors[next]].push_back(atom);
      left /= mesh.size(atom);
    }
  }
  return result;
}

/// A factor may be sharded only if all factors before it in its dimension are sharded completely.
bool drop_misfits(const LocalOp& op, const ArrayFactors& array, const MeshAtoms& mesh, std::vector<Atoms>& chosen) {
  bool changed = false;
  for (const std::vector<int>& factors : array) {
    bool open = true;
    for (const size_t factor : factors) {
      if (!open && !chosen[factor].empty()) {
        chosen[factor].clear();
        changed = true;
      }
      open &= mesh.size(chosen[factor]) == op.rule.factors[factor].size;
    }
  }
  return changed;
}

ArraySplit split_of(const ArrayFactors& array, const std::vector<Atoms>& chosen) {
  ArraySplit split;
  for (const std::vector<int>& factors : array) {
    Atoms& atoms = split.emplace_back();
    for (const int factor : factors) {
      const Atoms& own = chosen[factor];
      atoms.insert(atoms.end(), own.begin(), own.end());
    }
  }
  return split;
}

/// Returns whether gathering the results costs more than gathering the operands that are sharded along the factor.
bool is_costly(const std::vector<Voter>& voters, size_t factor) {
  int64_t operands = 0, results = 0;
  for (const Voter& voter : voters) {
    if (voter.is_result) results += voter.elements;
    else if (has_factor(*voter.factors, factor)) operands += voter.elements;
  }
  return results > operands;
}

struct Chooser {
  const LocalOp& op;
  const std::vector<Shape>&operands, &results;
  const OpSplits& now;
  const std::vector<bool>& votes;  ///< false for constants
  const MeshAtoms& mesh;
  std::vector<Voter> voting = {};

  void list_voters();
  void take(size_t factor, const Atoms& requested, std::vector<Atoms>& chosen, Atoms& used) const;
  void move_away(std::vector<Atoms>& chosen, Atoms& used) const;
  ChosenParts choose(const Options& options) const;
  double bytes(const ChosenParts& chosen) const;
};

void Chooser::list_voters() {
  for (size_t i = 0; i < results.size(); ++i)
    voting.push_back({&op.rule.results[i], &now.results[i], elements_of(results[i]), true});
  for (size_t i = 0; i < operands.size(); ++i) {
    if (votes[i]) voting.push_back({&op.rule.operands[i], &now.operands[i], elements_of(operands[i]), false});
  }
  std::ranges::stable_sort(voting, std::greater<>{}, &Voter::elements);
}

void Chooser::take(size_t factor, const Atoms& requested, std::vector<Atoms>& chosen, Atoms& used) const {
  int64_t left = op.sizes[factor];
  for (const uint16_t atom : requested) {
    if (std::ranges::find(used, atom) != used.end() || left % mesh.size(atom) != 0) break;
    chosen[factor].push_back(atom);
    used.push_back(atom);
    left /= mesh.size(atom);
  }
}

/// Moves axes from factors that must be whole to factors that can be sharded. Example: to sort sharded rows, the
/// columns are sharded instead.
void Chooser::move_away(std::vector<Atoms>& chosen, Atoms& used) const {
  for (const Voter& voter : voting) {
    const std::vector<Atoms> requested = by_factor(op, voter, mesh);
    for (size_t f = 0; f < requested.size(); ++f) {
      if (op.strategies[f] != LocalStrategy::kWhole || requested[f].empty()) continue;
      for (size_t other = 0; other < chosen.size(); ++other) {
        const bool passes = op.strategies[other] == LocalStrategy::kPart && has_factor(*voter.factors, other);
        if (passes && chosen[other].empty()) take(other, requested[f], chosen, used);
      }
    }
  }
}

ChosenParts Chooser::choose(const Options& options) const {
  std::vector<Atoms> chosen(op.rule.factors.size());
  Atoms used;
  for (const Voter& voter : voting) {
    const std::vector<Atoms> requested = by_factor(op, voter, mesh);
    for (size_t f = 0; f < requested.size(); ++f) {
      const LocalStrategy strategy = op.strategies[f];
      if (strategy == LocalStrategy::kWhole || !chosen[f].empty() || requested[f].empty()) continue;
      if (strategy == LocalStrategy::kPartial && !options.leaves_sums) continue;
      if (strategy != LocalStrategy::kPartial && options.keeps_results_small && !voter.is_result &&
          is_costly(voting, f))
        continue;
      take(f, requested[f], chosen, used);
    }
  }
  if (options.moves_away) move_away(chosen, used);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto* arrays : {&op.rule.operands, &op.rule.results}) {
      for (const ArrayFactors& array : *arrays) changed |= drop_misfits(op, array, mesh, chosen);
    }
  }
  ChosenParts result;
  for (size_t f = 0; f < chosen.size(); ++f) {
    if (op.strategies[f] == LocalStrategy::kPartial)
      result.partial.insert(result.partial.end(), chosen[f].begin(), chosen[f].end());
  }
  for (const ArrayFactors& array : op.rule.operands) result.splits.operands.push_back(split_of(array, chosen));
  for (const ArrayFactors& array : op.rule.results) result.splits.results.push_back(split_of(array, chosen));
  return result;
}

/// Returns the bytes sent to reshard the operands to `chosen`, and the results from there to their requested sharding.
double Chooser::bytes(const ChosenParts& chosen) const {
  double sum = 0;
  for (size_t i = 0; i < operands.size(); ++i)
    sum += votes[i] ? reshard_bytes(operands[i], now.operands[i], chosen.splits.operands[i], mesh) : 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_array()) continue;
    ArraySplit split = chosen.splits.results[i];
    const ReductionPlan plan = plan_reduction(split, chosen.partial, now.results[i]);
    sum += reduction_bytes(results[i], split, plan, mesh);
    for (size_t d = 0; d < split.size(); ++d)
      split[d].insert(split[d].end(), plan.scattered[d].begin(), plan.scattered[d].end());
    sum += reshard_bytes(results[i], split, now.results[i], mesh);
  }
  return sum;
}

}  // namespace

ChosenParts choose_parts(const LocalOp& op, const std::vector<Shape>& operands, const std::vector<Shape>& results,
                         const OpSplits& now, const std::vector<bool>& voters, const MeshAtoms& mesh) {
  Chooser chooser{op, operands, results, now, voters, mesh};
  chooser.list_voters();
  constexpr Options kAttempts[] = {{true, true, false}, {false, true, false}, {true, true, true}, {true, false, false}};
  ChosenParts best = chooser.choose(kAttempts[0]);
  double least = chooser.bytes(best);
  for (const Options& options : std::span(kAttempts).subspan(1)) {
    if (least == 0) break;
    ChosenParts result = chooser.choose(options);
    const double bytes = chooser.bytes(result);
    if (bytes >= least) continue;
    best = std::move(result);
    least = bytes;
  }
  return best;
}

}  // namespace hilo::hlo
