// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/nodes.h"

#include "hilo/backend/cpu/emit/region/index.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

void store_output(RegionState& s, size_t k) {
  const RegionOutput& o = s.region.outputs[k];
  const uint32_t e = s.output_expression[k];
  Value* const pointer = s.buffers[s.region.inputs.size() + k];
  const int64_t step = s.region.extents.empty() ? 0 : lane_step(s, e);
  Value* const at = scalar_index(s, e);
  if (s.facts.shape.lanes == 1 || step == 0) {
    Value* const scalar = value_of(s, o.node, false);
    if (s.region.row_begin == 0 && o.index.coefficients.empty()) s.stored[k] = scalar;
    return s.scalar.store_scalar(o.type, scalar, pointer, at);
  }
  Value* const value = value_of(s, o.node, true);
  if (Value* const tile = s.columns.stored[k]) return s.wide.store(o.type, value, tile, column_of(s, o.index));
  if (step == 1) return s.wide.store(o.type, value, pointer, at);
  s.wide.store_strided(o.type, value, pointer, at, s.scalar.index(step));
}

}  // namespace

void store_outputs(RegionState& s, bool in_row, int loop) {
  for (size_t k = 0; k < s.region.outputs.size(); ++k) {
    const RegionOutput& o = s.region.outputs[k];
    const bool along_row = o.index.coefficients.size() > s.region.row_begin;
    if (along_row != in_row || (in_row && s.facts.nodes[o.node].stage != loop)) continue;
    store_output(s, k);
  }
}

}  // namespace hilo::cpu
