// SPDX-License-Identifier: Apache-2.0
// inspect/simulate/links.h -- times of collectives on links with a known latency and bandwidth.
#pragma once

#include <cstdint>
#include <string>

#include "hilo/base/status.h"
#include "hilo/hlo/ir/opcode.h"

namespace hilo::hlo {

enum class Topology : uint8_t {
  kRing,     ///< neighbours in a ring, one direction at a time
  kTorus2d,  ///< two axes with wraparound, both directions at once
  kTorus3d,
  kFatTree,  ///< leaves of several devices; links above them may have less bandwidth
};

struct Links {
  Topology topology = Topology::kRing;
  double latency = 1e-6;        ///< seconds per message, or per hop of a torus
  double bandwidth = 1e11;      ///< bytes per second of one link in one direction
  int64_t leaf = 8;             ///< devices under one switch of a fat tree
  double oversubscription = 1;  ///< factor by which links above the leaves of a fat tree are slower
};

/// "ring", "torus2d", "torus3d", "fat-tree"
StatusOr<Topology> topology_named(std::string_view name);

/// Returns the seconds of a collective of `members` devices whose result has `result_bytes` on each. In the
/// formulas n is the bytes of all-gather's result, or of one device's operand for the others. a is the latency, b the
/// seconds per byte, p the number of devices:
///   ring       all-reduce 2(p-1)a + 2(p-1)/p nb; all-gather, reduce-scatter and all-to-all half of that;
///              permute a + nb
///   torus      of k axes of length s = p^(1/k): all-gather max(k s/2 a, nb/2k), reduce-scatter the same,
///              all-reduce both; all-to-all max(k s/2 a, n s b/8); permute a + nb
///   fat tree   within a leaf as a ring; with L devices per leaf and q = p/L: the time of a leaf's ring, plus that of
///              the ring of q leaves for n/L bytes (all-reduce, reduce-scatter, all-gather) or n bytes, at twice a and
///              the oversubscribed b
/// Precondition: the collective involves communication
/// Source     R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in MPICH, 2005;
///            for tori the scaling book of jax-ml
double collective_seconds(const Links& links, Opcode collective, int64_t members, double result_bytes);

}  // namespace hilo::hlo
