// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/reshard.h"

#include <algorithm>

namespace hilo::hlo {
namespace {

bool is_used(const ArraySplit& split, uint16_t atom) {
  return std::ranges::any_of(split, [&](const Atoms& atoms) { return contains(atoms, atom); });
}

bool is_prefix(const Atoms& prefix, const Atoms& of) {
  return prefix.size() <= of.size() && std::equal(prefix.begin(), prefix.end(), of.begin());
}

/// The state of planning one reshard.
struct Planner {
  ArraySplit now;
  const ArraySplit& to;
  const MeshAtoms& atoms;
  std::vector<ReshardStep> steps = {};

  void step(ReshardKind kind, size_t from, size_t into, Atoms by) {
    steps.push_back({kind, from, into, std::move(by), now});
  }
  bool permute_all();
  bool cut();
  bool exchange();
  bool exchange_sizes();
  void gather();
};

/// If all shards have their final sizes, every device receives its shard from a device that has it.
bool Planner::permute_all() {
  for (size_t d = 0; d < now.size(); ++d) {
    if (atoms.size(now[d]) != atoms.size(to[d])) return false;
  }
  now = to;
  step(ReshardKind::kPermute, 0, 0, {});
  return true;
}

/// Shards dimensions by atoms that no dimension uses.
bool Planner::cut() {
  bool changed = false;
  for (size_t d = 0; d < now.size(); ++d) {
    if (!is_prefix(now[d], to[d])) continue;
    Atoms more;
    for (size_t i = now[d].size(); i < to[d].size() && !is_used(now, to[d][i]); ++i) more.push_back(to[d][i]);
    if (more.empty()) continue;
    now[d].insert(now[d].end(), more.begin(), more.end());
    step(ReshardKind::kCut, d, d, more);
    changed = true;
  }
  return changed;
}

/// Moves the minor atoms of one dimension to another.
bool Planner::exchange() {
  for (size_t from = 0; from < now.size(); ++from) {
    const size_t prefix = common_prefix(now[from], to[from]);
    for (size_t into = 0; into < now.size(); ++into) {
      if (into == from || !is_prefix(now[into], to[into])) continue;
      for (size_t begin = prefix; begin < now[from].size(); ++begin) {
        const Atoms run(now[from].begin() + begin, now[from].end());
        const Atoms target(to[into].begin() + now[into].size(), to[into].end());
        if (!is_prefix(run, target)) continue;
        now[from].resize(begin);
        now[into].insert(now[into].end(), run.begin(), run.end());
        step(ReshardKind::kExchange, from, into, run);
        return true;
      }
    }
  }
  return false;
}

/// Moves an atom from a dimension with too many shards to one with too few. Once all sizes are right, permute_all()
/// exchanges whole shards.
bool Planner::exchange_sizes() {
  for (size_t from = 0; from < now.size(); ++from) {
    const int64_t surplus = atoms.size(now[from]) / atoms.size(to[from]);
    if (now[from].empty() || atoms.size(now[from]) % atoms.size(to[from]) != 0 || surplus == 1) continue;
    for (size_t into = 0; into < now.size(); ++into) {
      const int64_t own = atoms.size(now[into]), target = atoms.size(to[into]);
      const Atoms run = {now[from].back()};
      const int64_t size = atoms.size(run);
      if (into == from || target % own != 0 || target / own % size != 0 || surplus % size != 0) continue;
      now[from].pop_back();
      now[into].push_back(run[0]);
      step(ReshardKind::kExchange, from, into, run);
      return true;
    }
  }
  return false;
}

/// Gathers one dimension down to the prefix that it shares with the target.
void Planner::gather() {
  for (size_t d = 0; d < now.size(); ++d) {
    const size_t prefix = common_prefix(now[d], to[d]);
    if (prefix == now[d].size()) continue;
    const Atoms run(now[d].begin() + prefix, now[d].end());
    now[d].resize(prefix);
    step(ReshardKind::kGather, d, d, run);
    return;
  }
}

/// Returns pairs by which every device receives its shard from one that has it. Each device sends to one at most.
Int64Pairs permutation(const ArraySplit& from, const ArraySplit& to, const MeshAtoms& atoms) {
  const auto part_of_place = [&](const ArraySplit& split, int64_t place) {
    std::vector<int64_t> box;
    for (const Atoms& by : split) box.push_back(atoms.part_at(by, place));
    return box;
  };
  std::map<std::vector<int64_t>, std::vector<int64_t>> holders;
  std::vector<int64_t> waiting;
  Int64Pairs pairs;
  for (int64_t place = 0; place < atoms.place_count(); ++place) {
    const std::vector<int64_t> has = part_of_place(from, place);
    if (has == part_of_place(to, place)) {
      pairs.emplace_back(place, place);
    } else {
      holders[has].push_back(place);
      waiting.push_back(place);
    }
  }
  for (const int64_t place : waiting) {
    std::vector<int64_t>& sources = holders[part_of_place(to, place)];
    pairs.emplace_back(sources.back(), place);  // each shard has as many holders as receivers
    sources.pop_back();
  }
  std::ranges::sort(pairs);
  return pairs;
}

double bytes_of(const Shape& whole, const ArraySplit& split, const MeshAtoms& atoms) {
  double bytes = static_cast<double>(whole.byte_size());
  for (const Atoms& by : split) bytes /= static_cast<double>(atoms.size(by));
  return bytes;
}

Opcode opcode_of(ReshardKind kind) {
  switch (kind) {
    case ReshardKind::kCut: break;
    case ReshardKind::kPermute: return Opcode::kCollectivePermute;
    case ReshardKind::kExchange: return Opcode::kAllToAll;
    case ReshardKind::kGather: return Opcode::kAllGather;
  }
  return Opcode::kDynamicSlice;
}

}  // namespace

std::vector<ReshardStep> plan_reshard(ArraySplit from, const ArraySplit& to, const MeshAtoms& atoms) {
  Planner planner{std::move(from), to, atoms};
  while (planner.now != to) {
    if (planner.permute_all() || planner.cut() || planner.exchange() || planner.exchange_sizes()) continue;
    planner.gather();
  }
  return std::move(planner.steps);
}

double reshard_bytes(const Shape& whole, const ArraySplit& from, const ArraySplit& to, const MeshAtoms& atoms) {
  if (!whole.is_array() || from == to) return 0;
  double bytes = 0;
  for (const ReshardStep& step : plan_reshard(from, to, atoms)) {
    if (step.kind == ReshardKind::kCut) continue;
    bytes += link_bytes(opcode_of(step.kind), atoms.size(step.by), bytes_of(whole, step.after, atoms));
  }
  return bytes;
}

namespace {

Expr write_reshard(DeviceProgram& program, Expr part, const ArraySplit& from, const ArraySplit& to) {
  const ArraySplit* now = &from;
  const std::vector<ReshardStep> steps = plan_reshard(from, to, program.atoms());
  for (const ReshardStep& step : steps) {
    if (!program.status().ok()) return part;
    const int64_t place = step.from;
    switch (step.kind) {
      case ReshardKind::kCut: part = program.cut(part, place, step.by); break;
      case ReshardKind::kPermute: part = program.permute(part, permutation(*now, step.after, program.atoms())); break;
      case ReshardKind::kExchange: part = program.all_to_all(part, place, step.into, step.by); break;
      case ReshardKind::kGather: part = program.all_gather(part, place, step.by); break;
    }
    now = &step.after;
  }
  return part;
}

}  // namespace

Expr reshard(DeviceProgram& program, Expr part, const ArraySplit& from, const ArraySplit& to) {
  if (from == to || !program.status().ok()) return part;
  return program.resharded(part, from, to, [&] { return write_reshard(program, part, from, to); });
}

ReductionPlan plan_reduction(const ArraySplit& split, Atoms partial, const ArraySplit& to) {
  ReductionPlan plan{ArraySplit(split.size()), {}};
  for (size_t d = 0; d < split.size(); ++d) {
    if (!is_prefix(split[d], to[d])) continue;
    Atoms& run = plan.scattered[d];
    for (size_t i = split[d].size(); i < to[d].size() && contains(partial, to[d][i]); ++i) run.push_back(to[d][i]);
    std::erase_if(partial, [&](uint16_t atom) { return contains(run, atom); });
  }
  plan.all = std::move(partial);
  return plan;
}

double reduction_bytes(const Shape& whole, ArraySplit split, const ReductionPlan& plan, const MeshAtoms& atoms) {
  double bytes = 0;
  for (size_t d = 0; d < split.size(); ++d) {
    if (plan.scattered[d].empty()) continue;
    split[d].insert(split[d].end(), plan.scattered[d].begin(), plan.scattered[d].end());
    bytes += link_bytes(Opcode::kReduceScatter, atoms.size(plan.scattered[d]), bytes_of(whole, split, atoms));
  }
  if (plan.all.empty()) return bytes;
  return bytes + link_bytes(Opcode::kAllReduce, atoms.size(plan.all), bytes_of(whole, split, atoms));
}

Expr finish_reduction(DeviceProgram& program, Expr part, ArraySplit& split, const Atoms& partial,
                      const ComputationPtr& reducer, const ArraySplit& to) {
  const ReductionPlan plan = plan_reduction(split, partial, to);
  for (size_t d = 0; d < split.size(); ++d) {
    if (plan.scattered[d].empty()) continue;
    part = program.reduce_scatter(part, d, reducer, plan.scattered[d]);
    split[d].insert(split[d].end(), plan.scattered[d].begin(), plan.scattered[d].end());
  }
  return plan.all.empty() ? part : program.all_reduce(part, reducer, plan.all);
}

}  // namespace hilo::hlo
