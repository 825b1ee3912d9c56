// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/carry.h"

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/trace/annotations.h"
#include "hilo/transform/batch.h"

namespace hilo::lax {

Mask nonzero_mask(std::span<const Tangent> tangents) {
  Mask mask;
  for (const Tangent& t : tangents) mask.push_back(!t.is_zero());
  return mask;
}

Mask batched_mask(std::span<const BatchDim> dims) {
  Mask mask;
  for (const BatchDim& d : dims) mask.push_back(d.has_value());
  return mask;
}

Mask mask_or(const Mask& a, const Mask& b) {
  Mask result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = (i < a.size() && a[i]) || (i < b.size() && b[i]);
  return result;
}

void append_nonzero(std::vector<Array>& operands, std::span<const Tangent> tangents) {
  for (const Tangent& t : tangents) {
    if (!t.is_zero()) operands.push_back(t.value());
  }
}

std::vector<Tangent> spread_tangents(std::vector<Array> values, const Mask& nonzero) {
  std::vector<Tangent> tangents(nonzero.size());
  for (size_t i = 0, next = 0; i < nonzero.size(); ++i) {
    if (nonzero[i]) tangents[i] = std::move(values[next++]);
  }
  return tangents;
}

JvpResult split_primals(std::vector<Array> results, const Mask& nonzero) {
  const auto middle = results.begin() + static_cast<int64_t>(nonzero.size());
  return {{results.begin(), middle}, spread_tangents({middle, results.end()}, nonzero)};
}

std::vector<Array> batch_in_front(std::span<const Array> operands, std::span<const BatchDim> dims) {
  std::vector<Array> moved;
  for (size_t i = 0; i < operands.size(); ++i)
    moved.push_back(dims[i] ? move_axis(operands[i], *dims[i], 0) : operands[i]);
  return moved;
}

BatchResult batched_results(std::vector<Array> results, const Mask& batched) {
  BatchResult out{std::move(results), {}};
  for (bool b : batched) out.dims.push_back(b ? BatchDim(0) : std::nullopt);
  return out;
}

hlo::ComputationPtr over_packed(const hlo::ComputationPtr& computation) {
  hlo::Builder builder(computation->name() + ".packed");
  builder.set_annotations(annotations_here());
  const hlo::InstructionId parameter = builder.parameter(pack_shapes(parameter_leaves(*computation)));
  auto attributes = std::make_shared<hlo::CallAttributes>();
  attributes->to_apply = computation;
  const hlo::InstructionId call =
      or_throw(builder.add(hlo::Opcode::kCall, unpack(builder, parameter), std::move(attributes)));
  const hlo::InstructionId root = pack(builder, unpack(builder, call));
  return or_throw(std::move(builder).build(root));
}

hlo::ComputationPtr restage(const hlo::ComputationPtr& like, const FlatFunction& f) {
  return stage(f, parameter_avals(*like), "control flow", like->name()).computation;
}

}  // namespace hilo::lax
