// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/reshard.h"

#include <algorithm>

namespace hilo::hlo {
namespace {

bool contains(const Atoms& atoms, uint16_t atom) { return std::ranges::find(atoms, atom) != atoms.end(); }

bool is_used(const ArraySplit& split, uint16_t atom) {
  return std::ranges::any_of(split, [&](const Atoms& atoms) { return contains(atoms, atom); });
}

bool is_prefix(const Atoms& prefix, const Atoms& of) {
  return prefix.size() <= of.size() && std::equal(prefix.begin(), prefix.end(), of.begin());
}

size_t common_prefix(const Atoms& a, const Atoms& b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

/// One array on its way.
struct Reshard {
  DeviceProgram& program;
  Expr part;
  ArraySplit now;
  const ArraySplit& to;

  bool permute_all();
  bool cut();
  bool exchange();
  void gather();
};

/// Parts of the same size: every device gets its part from one that has it, each sending to one.
bool Reshard::permute_all() {
  const MeshAtoms& atoms = program.atoms();
  for (size_t d = 0; d < now.size(); ++d) {
    if (atoms.size(now[d]) != atoms.size(to[d])) return false;
  }
  const auto part_of_place = [&](const ArraySplit& split, int64_t place) {
    std::vector<int64_t> box;
    for (const Atoms& by : split) box.push_back(atoms.part_at(by, place));
    return box;
  };
  std::map<std::vector<int64_t>, std::vector<int64_t>> holders;
  std::vector<int64_t> waiting;
  Int64Pairs pairs;
  for (int64_t place = 0; place < atoms.place_count(); ++place) {
    const std::vector<int64_t> has = part_of_place(now, place);
    if (has == part_of_place(to, place)) {
      pairs.emplace_back(place, place);
    } else {
      holders[has].push_back(place);
      waiting.push_back(place);
    }
  }
  for (const int64_t place : waiting) {
    std::vector<int64_t>& sources = holders[part_of_place(to, place)];
    pairs.emplace_back(sources.back(), place);  // as many have a part as want it
    sources.pop_back();
  }
  std::ranges::sort(pairs);
  part = program.permute(part, pairs);
  now = to;
  return true;
}

/// Cuts what no other dimension has cut.
bool Reshard::cut() {
  bool changed = false;
  for (size_t d = 0; d < now.size(); ++d) {
    if (!is_prefix(now[d], to[d])) continue;
    Atoms more;
    for (size_t i = now[d].size(); i < to[d].size() && !is_used(now, to[d][i]); ++i) more.push_back(to[d][i]);
    if (more.empty()) continue;
    part = program.cut(part, static_cast<int64_t>(d), more);
    now[d].insert(now[d].end(), more.begin(), more.end());
    changed = true;
  }
  return changed;
}

/// The minor atoms of one dimension become the next of another.
bool Reshard::exchange() {
  for (size_t from = 0; from < now.size(); ++from) {
    const size_t kept = common_prefix(now[from], to[from]);
    for (size_t into = 0; into < now.size(); ++into) {
      if (into == from || !is_prefix(now[into], to[into])) continue;
      for (size_t begin = kept; begin < now[from].size(); ++begin) {
        const Atoms run(now[from].begin() + static_cast<std::ptrdiff_t>(begin), now[from].end());
        const Atoms wanted(to[into].begin() + static_cast<std::ptrdiff_t>(now[into].size()), to[into].end());
        if (!is_prefix(run, wanted)) continue;
        part = program.all_to_all(part, static_cast<int64_t>(from), static_cast<int64_t>(into), run);
        now[from].resize(begin);
        now[into].insert(now[into].end(), run.begin(), run.end());
        return true;
      }
    }
  }
  return false;
}

/// One dimension back to what it has in common with its goal.
void Reshard::gather() {
  for (size_t d = 0; d < now.size(); ++d) {
    const size_t kept = common_prefix(now[d], to[d]);
    if (kept == now[d].size()) continue;
    const Atoms run(now[d].begin() + static_cast<std::ptrdiff_t>(kept), now[d].end());
    part = program.all_gather(part, static_cast<int64_t>(d), run);
    now[d].resize(kept);
    return;
  }
}

}  // namespace

Expr reshard(DeviceProgram& program, Expr part, ArraySplit from, const ArraySplit& to) {
  Reshard way{program, part, std::move(from), to};
  while (way.now != to && program.status().ok()) {
    if (way.permute_all() || way.cut() || way.exchange()) continue;
    way.gather();
  }
  return way.part;
}

Expr finish_reduction(DeviceProgram& program, Expr part, ArraySplit& split, Atoms partial,
                      const ComputationPtr& reducer, const ArraySplit& to) {
  for (size_t d = 0; d < split.size() && !partial.empty(); ++d) {
    if (!is_prefix(split[d], to[d])) continue;
    Atoms run;
    for (size_t i = split[d].size(); i < to[d].size() && contains(partial, to[d][i]); ++i) run.push_back(to[d][i]);
    if (run.empty()) continue;
    part = program.reduce_scatter(part, static_cast<int64_t>(d), reducer, run);
    split[d].insert(split[d].end(), run.begin(), run.end());
    std::erase_if(partial, [&](uint16_t atom) { return contains(run, atom); });
  }
  return partial.empty() ? part : program.all_reduce(part, reducer, partial);
}

}  // namespace hilo::hlo
