// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/choose_parts.h"

#include <algorithm>

namespace hilo::hlo {
namespace {

struct Voter {
  const ArrayFactors* factors;
  const ArraySplit* split;
  int64_t elements;
  bool is_result;
};

int64_t elements_of(const Shape& shape) { return shape.is_array() ? shape.element_count() : 0; }

/// The atoms of an array's dimensions by factor, as far as they fill the factors from the major end on.
std::vector<Atoms> by_factor(const LocalOp& op, const Voter& array, const MeshAtoms& mesh) {
  std::vector<Atoms> made(op.rule.factors.size());
  for (size_t d = 0; d < array.split->size(); ++d) {
    const std::vector<int>& factors = (*array.factors)[d];
    size_t next = 0;
    int64_t left = factors.empty() ? 1 : op.rule.factors[static_cast<size_t>(factors[0])].size;
    for (const uint16_t atom : (*array.split)[d]) {
      while (left == 1 && next + 1 < factors.size()) left = op.rule.factors[static_cast<size_t>(factors[++next])].size;
      if (next >= factors.size() || left % mesh.size(atom) != 0) break;
      made[static_cast<size_t>(factors[next])].push_back(atom);
      left /= mesh.size(atom);
    }
  }
  return made;
}

/// A factor may be shared only where those before it in its dimension fall apart altogether.
bool drop_misfits(const LocalOp& op, const ArrayFactors& array, const MeshAtoms& mesh, std::vector<Atoms>& chosen) {
  bool changed = false;
  for (const std::vector<int>& factors : array) {
    bool open = true;
    for (const int f : factors) {
      const auto factor = static_cast<size_t>(f);
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
      const Atoms& own = chosen[static_cast<size_t>(factor)];
      atoms.insert(atoms.end(), own.begin(), own.end());
    }
  }
  return split;
}

bool has_factor(const ArrayFactors& array, size_t factor) {
  return std::ranges::any_of(array, [&](const std::vector<int>& factors) {
    return std::ranges::find(factors, static_cast<int>(factor)) != factors.end();
  });
}

/// Whether gathering the results costs more than gathering the operands that are shared along the factor.
bool is_dear(const std::vector<Voter>& voters, size_t factor) {
  int64_t operands = 0, results = 0;
  for (const Voter& voter : voters) {
    if (voter.is_result) results += voter.elements;
    else if (has_factor(*voter.factors, factor)) operands += voter.elements;
  }
  return results > operands;
}

}  // namespace

ChosenParts choose_parts(const LocalOp& op, const std::vector<Shape>& operands, const std::vector<Shape>& results,
                         const OpSplits& now, const std::vector<bool>& voters, const MeshAtoms& mesh) {
  std::vector<Voter> voting;
  for (size_t i = 0; i < results.size(); ++i)
    voting.push_back({&op.rule.results[i], &now.results[i], elements_of(results[i]), true});
  for (size_t i = 0; i < operands.size(); ++i) {
    if (voters[i]) voting.push_back({&op.rule.operands[i], &now.operands[i], elements_of(operands[i]), false});
  }
  std::ranges::stable_sort(voting, std::greater<>{}, &Voter::elements);
  std::vector<Atoms> chosen(op.rule.factors.size());
  Atoms taken;
  for (const Voter& voter : voting) {
    const std::vector<Atoms> wanted = by_factor(op, voter, mesh);
    for (size_t f = 0; f < wanted.size(); ++f) {
      if (op.ways[f] == LocalWay::kWhole || !chosen[f].empty() || wanted[f].empty()) continue;
      if (op.ways[f] == LocalWay::kPart && !voter.is_result && is_dear(voting, f)) continue;
      for (const uint16_t atom : wanted[f]) {
        if (std::ranges::find(taken, atom) != taken.end()) break;
        chosen[f].push_back(atom);
        taken.push_back(atom);
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto* arrays : {&op.rule.operands, &op.rule.results}) {
      for (const ArrayFactors& array : *arrays) changed |= drop_misfits(op, array, mesh, chosen);
    }
  }
  ChosenParts made;
  for (size_t f = 0; f < chosen.size(); ++f) {
    if (op.ways[f] == LocalWay::kPartial) made.partial.insert(made.partial.end(), chosen[f].begin(), chosen[f].end());
  }
  for (const ArrayFactors& array : op.rule.operands) made.splits.operands.push_back(split_of(array, chosen));
  for (const ArrayFactors& array : op.rule.results) made.splits.results.push_back(split_of(array, chosen));
  return made;
}

}  // namespace hilo::hlo
