// SPDX-License-Identifier: Apache-2.0
// scipy/cluster/vq.h -- jax.scipy.cluster.vq: vector quantization.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::cluster::vq {

struct VqResult {
  Array code, dist;
};
/// Returns the index of the nearest code-book row for each observation, and the distance to it. Vectors count as rows
/// of one element.
/// Shapes    obs[m, d], code_book[k, d] -> code[m], dist[m]; or obs[m], code_book[k]
/// Errors    INVALID_ARGUMENT for other ranks
VqResult vq(const Operand& obs, const Operand& code_book);

}  // namespace hilo::scipy::cluster::vq
