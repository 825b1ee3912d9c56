// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/carry.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
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
  const auto middle = results.begin() + nonzero.size();
  return {{results.begin(), middle}, spread_tangents({middle, results.end()}, nonzero)};
}

KnownAndUnknown known_and_unknown(std::span<const Array> operands, const Mask& unknown) {
  KnownAndUnknown out;
  for (size_t i = 0; i < operands.size(); ++i) (unknown[i] ? out.unknown : out.known).push_back(operands[i]);
  return out;
}

std::vector<std::optional<Array>> spread_known(std::vector<Array> values, const Mask& unknown_results) {
  std::vector<std::optional<Array>> known(unknown_results.size());
  for (size_t i = 0, next = 0; i < known.size(); ++i) {
    if (!unknown_results[i]) known[i] = std::move(values[next++]);
  }
  return known;
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

namespace {

/// Returns the operand that leaf `k` of a call's or scan's result is equal to; nullopt for a computed leaf.
std::optional<size_t> operand_passed_through(const hlo::Instruction& i, size_t k) {
  if (i.opcode == hlo::Opcode::kCall) return passed_through(*hlo::attributes_of<hlo::CallAttributes>(i).to_apply, k);
  if (i.opcode != hlo::kExtScan) return std::nullopt;
  const auto& scan = hlo::attributes_of<hlo::ScanAttributes>(i);
  const size_t carry = static_cast<size_t>(scan.constant_count) + k;
  const bool stays = k < static_cast<size_t>(scan.carry_count) && passed_through(*scan.step, k) == carry;
  return stays ? std::optional(carry) : std::nullopt;
}

}  // namespace

std::optional<size_t> passed_through(const hlo::Computation& computation, size_t k) {
  const hlo::Instruction* i = &computation.root();
  while (true) {  // leaf `k` of `i` is the value
    if (i->opcode == hlo::Opcode::kParameter) {
      for (hlo::InstructionId before : computation.parameters()) {
        if (before == i->id) return k;
        k += computation.instruction(before).shape.is_tuple() ? computation.instruction(before).shape.leaves().size()
                                                              : 1;
      }
    }
    std::optional<size_t> operand;
    size_t leaf = 0;
    if (i->opcode == hlo::Opcode::kTuple) {
      operand = k;
    } else if (i->opcode == hlo::Opcode::kGetTupleElement) {
      operand = 0;
      leaf = hlo::attributes_of<hlo::GetTupleElementAttributes>(*i).index;
    } else {
      operand = operand_passed_through(*i, k);
    }
    if (!operand) return std::nullopt;
    const hlo::Instruction& source = computation.instruction(i->operands[*operand]);
    if (i->shape.is_tuple() && source.shape.is_tuple()) return std::nullopt;  // nested tuple
    i = &source;
    k = leaf;
  }
}

hlo::ComputationPtr restage(const hlo::ComputationPtr& like, const FlatFunction& f) {
  return stage(f, parameter_avals(*like), "control flow", like->name()).computation;
}

}  // namespace hilo::lax
