// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/linear.h"

namespace hilo::rules {

JvpResult linear_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  Operation on_tangents = operation;
  for (size_t i = 0; i < tangents.size(); ++i) {
    const Array& x = operation.operands[i];
    if (has_tangent(x.dtype())) on_tangents.operands[i] = materialize(tangents[i], {x.aval_shape(), false});
  }
  JvpResult result{bind(operation), {}};
  for (Array& tangent : bind(on_tangents)) result.tangents.emplace_back(std::move(tangent));
  return result;
}

}  // namespace hilo::rules
