// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/batch_leading.h"

#include "hilo/transform/batch.h"

namespace hilo::rules {

BatchResult batch_leading(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  Operation batched = operation;
  batched.declared = std::nullopt;
  for (size_t i = 0; i < dims.size(); ++i)
    batched.operands[i] = batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size);
  std::vector<Array> results = bind(batched);
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

}  // namespace hilo::rules
