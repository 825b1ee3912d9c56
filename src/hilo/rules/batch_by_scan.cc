// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/batch_by_scan.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {
namespace {

/// Returns the operand's type without the batch axis.
Aval example_aval(const Array& operand, const BatchDim& dim) {
  std::vector<int64_t> dimensions(operand.shape().begin(), operand.shape().end());
  if (dim) dimensions.erase(dimensions.begin() + *dim);
  return {Shape::array(operand.dtype(), dimensions), false};
}

}  // namespace

BatchResult batch_by_scan(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  // A scan takes the operands shared by all examples first, then those that it slices.
  std::vector<size_t> order;
  for (bool batched : {false, true}) {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i].has_value() == batched) order.push_back(i);
    }
  }
  auto scan = std::make_shared<hlo::ScanAttributes>();
  scan->length = context.axis_size;
  std::vector<Array> operands;
  std::vector<Aval> avals;
  for (size_t i : order) {
    const Array& x = operation.operands[i];
    operands.push_back(dims[i] ? move_axis(x, *dims[i], 0) : x);
    avals.push_back(example_aval(x, dims[i]));
    scan->constant_count += dims[i] ? 0 : 1;
  }
  const FlatFunction one = [&](std::span<const Array> x) {
    Operation inner = operation;
    for (size_t k = 0; k < order.size(); ++k) inner.operands[order[k]] = x[k];
    return bind(inner);
  };
  scan->step = stage(one, avals, "vmap", std::string(hlo::opcode_name(operation.opcode)) + ".example",
                     CapturePlace::kFirst, /*always_tuple=*/true)
                   .computation;
  std::vector<Array> results = bind({hlo::kExtScan, std::move(operands), std::move(scan), std::nullopt});
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

}  // namespace hilo::rules
