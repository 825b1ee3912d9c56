// SPDX-License-Identifier: Apache-2.0
// Rows of few elements that vectors go across: they are turned into columns on the stack before the row's loops, and what these
// write is turned back after them.
#include "hilo/backend/cpu/emit/region_emitter.h"
#include "hilo/backend/cpu/emit/short_rows.h"

namespace hilo::cpu {

using llvm::Value;

/// The elements of a row if it is dense, each follows the one before in the next lane, and the region takes them all; else 0.
int64_t RegionEmitter::short_row_of(const IndexExpr& index, ElementType type) const {
  if (!is_column() || facts_.shape.lanes == 1 || facts_.shape.block_rows > 1 || is_complex(type) ||
      !index.terms.empty())
    return 0;
  const int64_t length = index.coefficient(facts_.shape.vector_dimension);
  int64_t last = 0;
  for (size_t k = region_.row_begin; k < region_.extents.size(); ++k) {
    if (index.coefficient(k) < 0) return 0;
    last += index.coefficient(k) * (region_.extents[k] - 1);
  }
  return last > 0 && last < kLongestShortRow && length == last + 1 ? length : 0;
}

void RegionEmitter::make_short_rows() {
  const auto tile = [&](const IndexExpr& index, ElementType type) -> Value* {
    const int64_t length = short_row_of(index, type);
    return length == 0 ? nullptr : scalar_.stack(length * facts_.shape.lanes * element_size_bytes(type));
  };
  for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
    const RegionNode& node = region_.nodes[n];
    const bool is_plain = node.kind == NodeKind::kLoad && node.guards.empty();
    loaded_rows_.push_back(is_plain && known_.empty() ? tile(node.index, node.type) : nullptr);
  }
  for (const RegionOutput& o : region_.outputs) stored_rows_.push_back(tile(o.index, o.type));
}

void RegionEmitter::load_short_rows() {
  for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
    if (loaded_rows_[n] == nullptr) continue;
    const RegionNode& node = region_.nodes[n];
    load_columns(wide_, {node.type, short_row_of(node.index, node.type), buffers_[node.input],
                         scalar_index(node_expression_[n]), loaded_rows_[n]});
  }
}

void RegionEmitter::store_short_rows() {
  for (size_t k = 0; k < region_.outputs.size(); ++k) {
    if (stored_rows_[k] == nullptr) continue;
    const RegionOutput& o = region_.outputs[k];
    store_columns(wide_, {o.type, short_row_of(o.index, o.type), buffers_[region_.inputs.size() + k],
                          scalar_index(output_expression_[k]), stored_rows_[k]});
  }
}

/// Where in a tile the column is that an index names within the row.
Value* RegionEmitter::column_in_tile(const IndexExpr& index) {
  Value* at = scalar_.index(0);
  for (size_t k = region_.row_begin; k < region_.extents.size(); ++k) {
    if (index.coefficient(k) == 0) continue;
    at = ir_.CreateAdd(at,
                       ir_.CreateMul(position_.indices[k], scalar_.index(index.coefficient(k) * facts_.shape.lanes)));
  }
  return at;
}

}  // namespace hilo::cpu
