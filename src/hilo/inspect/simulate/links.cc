// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/simulate/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hilo::hlo {
namespace {

/// Returns the number of bytes that the formulas use.
double whole_bytes(Opcode collective, double members, double result_bytes) {
  return collective == Opcode::kReduceScatter ? result_bytes * members : result_bytes;
}

/// Returns the time on a ring; all-reduce passes it twice.
double ring(Opcode collective, double p, double n, double latency, double per_byte) {
  if (collective == Opcode::kCollectivePermute || collective == Opcode::kCollectiveBroadcast)
    return latency + n * per_byte;
  const double once = (p - 1) * latency + (p - 1) / p * n * per_byte;
  return collective == Opcode::kAllReduce ? 2 * once : once;
}

double torus(Opcode collective, double p, double n, const Links& links, double axes) {
  if (collective == Opcode::kCollectivePermute || collective == Opcode::kCollectiveBroadcast)
    return links.latency + n / links.bandwidth;
  const double side = std::pow(p, 1 / axes);
  const double hops = axes * std::ceil(side / 2 - 1e-9) * links.latency;
  if (collective == Opcode::kAllToAll) return std::max(hops, n * side / (8 * links.bandwidth));
  const double once = std::max(hops, n / (links.bandwidth * 2 * axes));
  return collective == Opcode::kAllReduce ? 2 * once : once;
}

double fat_tree(Opcode collective, double p, double n, const Links& links) {
  const auto leaf = static_cast<double>(links.leaf);
  if (p <= leaf) return ring(collective, p, n, links.latency, 1 / links.bandwidth);
  const bool shrinks =
      collective == Opcode::kAllReduce || collective == Opcode::kReduceScatter || collective == Opcode::kAllGather;
  const double above = links.oversubscription / links.bandwidth;
  const double across = ring(collective, p / leaf, shrinks ? n / leaf : n, 2 * links.latency, above);
  const bool direct = collective == Opcode::kCollectivePermute || collective == Opcode::kCollectiveBroadcast;
  return direct ? across : across + ring(collective, leaf, n, links.latency, 1 / links.bandwidth);
}

}  // namespace

StatusOr<Topology> topology_named(std::string_view name) {
  if (name == "ring") return Topology::kRing;
  if (name == "torus2d") return Topology::kTorus2d;
  if (name == "torus3d") return Topology::kTorus3d;
  if (name == "fat-tree") return Topology::kFatTree;
  return invalid_argument(fmt::format("topology: got '{}'; wanted ring, torus2d, torus3d or fat-tree", name));
}

double collective_seconds(const Links& links, Opcode collective, int64_t members, double result_bytes) {
  const auto p = static_cast<double>(members);
  if (members < 2) return 0;
  const double n = whole_bytes(collective, p, result_bytes);
  switch (links.topology) {
    case Topology::kRing: break;
    case Topology::kTorus2d: return torus(collective, p, n, links, 2);
    case Topology::kTorus3d: return torus(collective, p, n, links, 3);
    case Topology::kFatTree: return fat_tree(collective, p, n, links);
  }
  return ring(collective, p, n, links.latency, 1 / links.bandwidth);
}

}  // namespace hilo::hlo
