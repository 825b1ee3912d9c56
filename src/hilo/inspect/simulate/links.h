// SPDX-License-Identifier: Apache-2.0
// inspect/simulate/links.h -- how long collectives take on links of a known latency and bandwidth.
#pragma once

#include <cstdint>
#include <string>

#include "hilo/base/status.h"
#include "hilo/hlo/ir/opcode.h"

namespace hilo::hlo {

enum class Topology : uint8_t {
  kRing,     ///< neighbours in a ring, one direction at a time
  kTorus2d,  ///< two axes with wraps, both directions at once
  kTorus3d,
  kFatTree,  ///< leaves of some devices, above which bandwidth may be less
};

struct Links {
  Topology topology = Topology::kRing;
  double latency = 1e-6;        ///< seconds a message, or a hop of a torus
  double bandwidth = 1e11;      ///< bytes a second, one link and one way
  int64_t leaf = 8;             ///< of a fat tree: devices under one switch
  double oversubscription = 1;  ///< of a fat tree: by how much less the links above carry
};

/// "ring", "torus2d", "torus3d", "fat-tree"
StatusOr<Topology> topology_named(std::string_view name);

/// Seconds of a collective of so many devices whose result has so many bytes on each. With n the bytes of the whole (of
/// all-gather's result, of what a device brings to the others), a the latency, b the seconds a byte, p the devices:
///   ring       all-reduce 2(p-1)a + 2(p-1)/p nb; all-gather, reduce-scatter and all-to-all half of that; permute a +
///   nb torus      of k axes of length s = p^(1/k): all-gather max(k s/2 a, nb/2k), reduce-scatter the same, all-reduce
///   both;
///              all-to-all max(k s/2 a, n s b/8); permute a + nb
///   fat tree   as a ring inside a leaf; with L devices a leaf and q = p/L: what the ring of a leaf takes, and what the
///   ring of q
///              leaves takes for n/L bytes (all-reduce, reduce-scatter, all-gather) or n bytes, at twice a and the
///              oversubscribed b
/// Precondition: a collective that devices meet in.
/// Source    R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in MPICH, 2005;
///           for tori the scaling book of jax-ml
double collective_seconds(const Links& links, Opcode collective, int64_t members, double result_bytes);

}  // namespace hilo::hlo
