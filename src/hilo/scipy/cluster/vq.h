// SPDX-License-Identifier: Apache-2.0
// scipy/cluster/vq.h -- jax.scipy.cluster.vq.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::cluster::vq {

struct VqResult {
  Array code, dist;
};
/// The nearest row of the code book for each observation, and how far it is. Vectors are rows of one element.
/// Shapes    obs[m, d], code_book[k, d] -> code[m], dist[m]; or obs[m], code_book[k]
/// Errors    INVALID_ARGUMENT for other ranks
VqResult vq(const Operand& obs, const Operand& code_book);

}  // namespace hilo::scipy::cluster::vq
