// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/nodes.h"

#include "hilo/backend/cpu/emit/interleave.h"
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

/// Returns the number of outputs from k on that are all columns of the same rows, next to each other; 1 otherwise.
size_t columns_from(const RegionState& s, size_t k) {
  const std::vector<RegionOutput>& outputs = s.region.outputs;
  const RegionOutput& first = outputs[k];
  if (s.facts.shape.lanes == 1 || s.region.has_row() || s.is_folded()) return 1;
  const int64_t width = first.index.coefficient(s.facts.shape.vector_dimension);
  if (width < 2 || width > std::ssize(outputs) - static_cast<int64_t>(k)) return 1;
  for (int64_t c = 1; c < width; ++c) {
    const RegionOutput& o = outputs[k + static_cast<size_t>(c)];
    if (o.value != first.value || !(o.index == plus(first.index, c))) return 1;
  }
  return static_cast<size_t>(width);
}

}  // namespace

void store_outputs(RegionState& s, bool in_row, int loop) {
  for (size_t k = 0; k < s.region.outputs.size(); ++k) {
    const RegionOutput& o = s.region.outputs[k];
    const bool along_row = o.index.coefficients.size() > s.region.row_begin;
    if (along_row != in_row || (in_row && s.facts.nodes[o.node].stage != loop)) continue;
    const size_t width = columns_from(s, k);
    if (width == 1) {
      store_output(s, k);
      continue;
    }
    Values columns;
    for (size_t c = 0; c < width; ++c) columns.push_back(value_of(s, s.region.outputs[k + c].node, true));
    store_columns(s.wide, o.type, columns, s.buffers[s.region.inputs.size() + k],
                  scalar_index(s, s.output_expression[k]));
    k += width - 1;
  }
}

}  // namespace hilo::cpu
