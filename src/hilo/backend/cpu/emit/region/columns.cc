// SPDX-License-Identifier: Apache-2.0
// Narrow rows with their columns written out: vectors run across the rows, and each column is a separate vector. A
// column of a concatenation is computed from its operand alone, and a reduction along the row needs no loop.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "hilo/backend/cpu/emit/interleave.h"
#include "hilo/backend/cpu/emit/region/facts.h"
#include "hilo/base/sizes.h"

namespace hilo::cpu {
namespace {

using engine::kMaxColumns, engine::RegionColumns;

constexpr int64_t kOfElement = 2;   // instructions: loading an element into a lane
constexpr int64_t kMaxFarRows = 4;  // whose vectors are loaded one by one

/// Constants are computed once for all vectors.
int64_t repeated_instructions_of(const RegionNode& node) {
  return node.kind == NodeKind::kConstant ? 0 : instructions_of(node);
}

/// Returns the number of instructions that shuffle two vectors of such elements. AVX-512 has none for bytes.
int64_t instructions_of_shuffle(ElementType type, Isa isa) {
  if (isa != Isa::kAvx512) return 2;
  return element_size_bytes(type) == 1 ? 8 : 2;
}

/// Returns the number of instructions that load some columns of rows of `stride` elements together.
int64_t instructions_of_loads(ElementType type, int64_t stride, int64_t columns, Isa isa) {
  const int64_t shuffles = std::max(interleaving_shuffles(stride) * columns / stride, stride - 1);
  return stride + shuffles * instructions_of_shuffle(type, isa);
}

/// Returns the part of the vectors along the last dimension that load the node: loops are cut where guards change.
double part_of_vectors(const RegionNode& load, int64_t extent, int64_t lanes) {
  double part = 1;
  for (const engine::Guard& g : load.guards) {
    const int64_t step = std::abs(g.index.coefficients.empty() ? 0 : g.index.coefficients.back());
    if (step == 0 || !g.index.terms.empty()) continue;
    const int64_t vectors = (g.high - g.low) / step / lanes + 1;
    part = std::min(part, static_cast<double>(vectors * lanes) / static_cast<double>(extent));
  }
  return part;
}

/// Returns the number of instructions for as many rows as a vector has lanes, if the columns are written out.
int64_t instructions_by_columns(const Region& columns, int64_t lanes, Isa isa) {
  const size_t across = columns.extents.size() - 1;
  std::map<std::tuple<ElementType, uint32_t, std::vector<int64_t>, int64_t>, int64_t> groups;
  int64_t count = 0;
  double jumps = 0;
  for (const RegionNode& n : columns.nodes) {
    if (n.kind != NodeKind::kLoad) {
      count += repeated_instructions_of(n);
      continue;
    }
    const int64_t stride = n.index.coefficient(across);
    if (stride > 1 && stride <= kMaxColumns)
      ++groups[{n.type, n.input, n.index.coefficients, n.index.constant / stride}];
    else if (stride == 0 || stride == 1) ++count;
    else jumps += part_of_vectors(n, columns.extents[across], lanes) * static_cast<double>(kOfElement * lanes);
  }
  count += static_cast<int64_t>(jumps);
  for (const auto& [group, loads] : groups) {
    const auto& [type, input, coefficients, row] = group;
    count += std::min(instructions_of_loads(type, coefficients[across], loads, isa), kOfElement * lanes * loads);
  }
  for (const RegionOutput& o : columns.outputs) {
    const int64_t width = std::max<int64_t>(o.index.coefficient(across), 1);
    count += 1 + interleaving_shuffles(width) * instructions_of_shuffle(o.type, isa) / width;
  }
  return count;
}

/// Returns the number of lanes that a dimension fills.
int64_t filled_lanes(int64_t extent, int64_t lanes) {
  return std::min(lanes, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(extent))));
}

/// Returns the number of instructions for `count` elements of rows, if vectors run across the rows.
int64_t instructions_across_rows(const Region& region, int64_t count, int64_t lanes) {
  constexpr int64_t kOfLoop = 1, kOfJump = 3;
  const size_t across = region.row_begin - 1;
  int64_t of_vector = kOfLoop;
  for (const RegionNode& n : region.nodes) {
    const int64_t step = n.index.coefficient(across);
    of_vector += n.kind == NodeKind::kLoad && step > 1 ? kOfJump : repeated_instructions_of(n);
    of_vector += std::ssize(n.guards);
  }
  const int64_t filled = filled_lanes(region.extents[across], lanes);
  return (count + filled - 1) / filled * of_vector;
}

/// Returns the number of instructions for as many rows, if vectors run along a row or along two dimensions.
int64_t instructions_by_rows(const Region& region, int64_t columns, int64_t lanes) {
  // A row's own instructions; joining the lanes of a reduction; a load of elements that aren't neighbours.
  constexpr int64_t kOfRow = 3, kOfJoin = 5, kOfJump = 3, kOfFoldedGuard = 8;
  const size_t last = region.extents.size() - 1;
  const int64_t width = region.extents[last];
  if (prefers_column(region)) return instructions_across_rows(region, lanes * columns, lanes);
  const bool folded = folded_shape(region, static_cast<int>(lanes)).has_value();
  int64_t of_vector = folded ? 0 : 1, of_row = kOfRow;
  for (const RegionNode& n : region.nodes) {
    const bool is_neighbour = n.index.coefficient(last) == 1 &&
                              (!folded || n.index.coefficient(last - 1) == n.index.coefficient(last) * width);
    of_vector += n.kind == NodeKind::kLoad && !is_neighbour ? kOfJump : repeated_instructions_of(n);
    of_vector += std::ssize(n.guards) * (folded ? kOfFoldedGuard : 1);  // a mask from the lanes' own indices
    if (n.kind == NodeKind::kReduce) of_row += kOfJoin;
  }
  of_vector += std::ssize(region.outputs);
  if (folded) return columns * of_vector;
  const int64_t filled = filled_lanes(width, lanes);
  return lanes * (columns / width) * ((width + filled - 1) / filled * of_vector + of_row);
}

/// Returns the lanes of a register of the widest element.
int64_t lanes_of(const Region& region, Isa isa) {
  int widest = 1;
  for (const RegionNode& n : region.nodes) {
    if (n.kind != NodeKind::kClampedIndex) widest = std::max(widest, register_bytes(n.type));
  }
  return vector_bytes(isa) / widest;
}

}  // namespace

std::optional<RegionColumns> columns_of(const Region& region, Isa isa) {
  if (region.extents.size() < 2 || region.outputs.empty()) return std::nullopt;
  const int64_t lanes = lanes_of(region, isa);
  const bool fills_vectors = region.row_begin > 0 && region.extents[region.row_begin - 1] >= lanes;
  const bool is_column = fills_vectors && prefers_column(region);
  if (is_column && is_matrix_product(region)) return std::nullopt;  // rows share loads
  size_t begin = std::min(region.row_begin, region.extents.size() - 1);
  while (begin > 1 && region.extents[begin - 1] < lanes) --begin;
  if (lanes < 2 || begin == 0 || region.extents[begin - 1] < lanes) return std::nullopt;
  std::optional<RegionColumns> written = engine::write_columns(region, begin, has_fma(isa));
  if (!written) return std::nullopt;
  int64_t columns = 1;
  for (size_t k = begin; k < region.extents.size(); ++k) columns *= region.extents[k];
  // Strips of several vectors use whole cache lines of rows that are far apart.
  if (is_column && columns > kMaxFarRows) return std::nullopt;
  if (instructions_by_columns(written->region, lanes, isa) >= instructions_by_rows(region, columns, lanes))
    return std::nullopt;
  return written;
}

std::vector<std::vector<uint32_t>> column_loads(const Region& region, const RegionShape& shape, Isa isa) {
  std::vector<std::vector<uint32_t>> groups(region.nodes.size());
  if (region.has_row() || region.extents.empty() || shape.lanes == 1 || shape.folded > 1) return groups;
  std::vector<uint32_t> firsts;
  for (uint32_t n = 0; n < region.nodes.size(); ++n) {
    const RegionNode& node = region.nodes[n];
    const int64_t stride = node.index.coefficient(shape.vector_dimension);
    if (node.kind != NodeKind::kLoad || stride < 2 || stride > kMaxColumns) continue;
    const auto is_beside = [&](uint32_t other) {
      const RegionNode& first = region.nodes[other];
      return first.input == node.input && first.guards == node.guards && first.type == node.type &&
             first.index.coefficients == node.index.coefficients && first.index.terms == node.index.terms &&
             first.index.constant / stride == node.index.constant / stride;
    };
    const auto first = std::ranges::find_if(firsts, is_beside);
    groups[first == firsts.end() ? n : *first].push_back(n);
    if (first == firsts.end()) firsts.push_back(n);
  }
  for (uint32_t n : firsts) {
    const RegionNode& node = region.nodes[n];
    const int64_t lanes = std::min(shape.lanes, vector_bytes(isa) / static_cast<int>(element_size_bytes(node.type)));
    const int64_t stride = node.index.coefficient(shape.vector_dimension), columns = std::ssize(groups[n]);
    if (instructions_of_loads(node.type, stride, columns, isa) >= kOfElement * lanes * columns) groups[n].clear();
  }
  return groups;
}

}  // namespace hilo::cpu
