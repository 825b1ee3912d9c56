// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/linear_rules.h"

namespace hilo::lax {

JvpResult linear_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  Operation on_tangents = operation;
  for (size_t i = 0; i < tangents.size(); ++i) {
    const Array& x = operation.operands[i];
    if (has_tangent(x.dtype())) on_tangents.operands[i] = materialize(tangents[i], {x.aval_shape(), false});
  }
  return {bind(operation), {bind(on_tangents)[0]}};
}

}  // namespace hilo::lax
