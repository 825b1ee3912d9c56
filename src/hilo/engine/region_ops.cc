// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_ops.h"

#include <algorithm>
#include <cstring>

#include "hilo/engine/region_columns.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/product.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::engine {

using hlo::Opcode;

std::optional<uint64_t> splat_bits(const Literal& literal) {
  if (!literal.shape().is_array() || literal.shape().element_count() == 0) return std::nullopt;
  const size_t size = element_size_bytes(literal.shape().element_type());
  if (size > 8) return std::nullopt;
  const std::span<const std::byte> bytes = literal.bytes();
  for (size_t i = size; i < bytes.size(); i += size) {
    if (std::memcmp(bytes.data(), bytes.data() + i, size) != 0) return std::nullopt;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), size);
  return bits;
}

bool is_lanewise(Opcode opcode) { return is_elementwise(opcode) || opcode == hlo::kExtFma; }

bool keeps_width(ElementType from, ElementType to) {
  return element_type_info(from).bits == element_type_info(to).bits && from != ElementType::kPred;
}

namespace {

bool is_scalar_op(const hlo::Computation& body, const hlo::Instruction& i) {
  if (i.opcode == Opcode::kBitcastConvert)
    return keeps_width(body.instruction(i.operands[0]).shape.element_type(), i.shape.element_type());
  return i.opcode == Opcode::kParameter || i.opcode == Opcode::kConstant || is_lanewise(i.opcode);
}

}  // namespace

bool is_scalar_body(const hlo::Computation& body) {
  for (const hlo::Instruction& i : body.instructions()) {
    if (i.opcode == Opcode::kTuple && i.id == body.root_id()) continue;
    if (!i.shape.is_scalar() || !is_scalar_op(body, i)) return false;
    // c128 doesn't fit in the bits of a constant.
    if (i.opcode == Opcode::kConstant && !splat_bits(hlo::attributes_of<hlo::ConstantAttributes>(i).value))
      return false;
  }
  return body.size() <= 64;
}

namespace {

bool all_are_arrays(const Graph& graph, const Node& node) {
  const auto is_array = [&](ValueId v) { return graph.values[v].shape.is_array(); };
  return std::ranges::all_of(node.operands, is_array) && std::ranges::all_of(node.results, is_array);
}

constexpr size_t kMaxConcatenated = 32;  // operands that are written by regions

bool is_narrower_than_f32(ElementType type) { return is_floating(type) && element_type_info(type).bits < 32; }

RegionOp cost_of(const hlo::Instruction& i) {
  switch (i.def().cost) {
    case hlo::CostClass::kFree:
    case hlo::CostClass::kCheap: return RegionOp::kCheap;
    case hlo::CostClass::kExpensive:
    case hlo::CostClass::kTranscendental:
    case hlo::CostClass::kHero: return RegionOp::kExpensive;
  }
  return RegionOp::kExpensive;
}

/// Whether it has no interior padding and no distances that overflow 64-bit indices.
bool is_plain_padding(const hlo::Instruction& i) {
  constexpr int64_t kFar = int64_t{1} << 48;
  const auto is_near = [](int64_t distance) { return distance > -kFar && distance < kFar; };
  return std::ranges::all_of(hlo::attributes_of<hlo::PadAttributes>(i).padding, [&](const hlo::PaddingDimension& p) {
    return p.interior == 0 && is_near(p.low) && is_near(p.high);
  });
}

/// Returns the costs of one term of a matrix product: in a region's loop, and in the library.
std::pair<double, double> term_costs(const Shape& lhs, const Shape& rhs, bool blocked, const Costs& costs) {
  const double library = costs.library.term;
  const ElementType type = lhs.element_type();
  if (!is_floating(type)) return {costs.products.integer, costs.library.integer_term};
  if (type == ElementType::kBf16 && rhs.element_type() == type) return {costs.products.bf16, costs.library.narrow_term};
  if (is_narrower_than_f32(type)) return {costs.products.narrow, library};
  return {blocked ? costs.products.blocked : costs.products.plain, library};
}

/// The sizes of a product, and how the right operand's last dimension is used.
struct Product {
  int64_t batch = 1, rows = 1, columns = 1, contracted = 1;
  bool columns_are_adjacent = true;
  bool batch_is_adjacent = false;  ///< of the larger operand

  double terms() const { return static_cast<double>(rows * columns * contracted); }
};

/// Returns the last dimension with more than one element, or -1.
int64_t last_dimension(const Shape& shape) {
  int64_t d = shape.rank() - 1;
  while (d >= 0 && shape.dimension(d) == 1) --d;
  return d;
}

Product product_of(const hlo::DotAttributes& a, const Shape& lhs, const Shape& rhs) {
  Product p;
  for (int64_t d : a.lhs_batch_dimensions) p.batch *= lhs.dimension(d);
  for (int64_t d : a.lhs_contracting_dimensions) p.contracted *= lhs.dimension(d);
  const int64_t others = std::max<int64_t>(p.batch * p.contracted, 1);
  p.rows = lhs.element_count() / others;
  p.columns = rhs.element_count() / others;
  const bool left_is_larger = p.rows > p.columns;
  p.batch_is_adjacent = left_is_larger ? hlo::contains(a.lhs_batch_dimensions, last_dimension(lhs))
                                       : hlo::contains(a.rhs_batch_dimensions, last_dimension(rhs));
  int64_t adjacent = 1;
  for (int64_t d = rhs.rank(); d-- > 0 && adjacent < p.columns; adjacent *= rhs.dimension(d)) {
    if (hlo::contains(a.rhs_contracting_dimensions, d) || hlo::contains(a.rhs_batch_dimensions, d)) break;
  }
  constexpr int64_t kVector = 16;
  p.columns_are_adjacent = adjacent >= std::min(p.columns, kVector);
  return p;
}

/// Whether vectors along sums, or along a batch, take longer than a library call that copies operands.
bool is_slow_across(const Product& p, const Shape& rhs, const Costs& costs) {
  constexpr int64_t kLongSum = 16;
  const auto sums = static_cast<double>(p.rows * p.columns), items = static_cast<double>(p.batch);
  const double loop = p.contracted < kLongSum || p.batch_is_adjacent
                          ? p.terms() * costs.products.short_sum_term
                          : sums * costs.products.long_sum + p.terms() * costs.products.plain;
  const double copy = static_cast<double>(rhs.element_count()) * (costs.load + costs.store);
  return items * loop > costs.product_call + copy + items * (costs.product_item + p.terms() * costs.library.term);
}

/// Whether loops are faster than the library at any number of rows: few terms in each sum, which vectors along the
/// columns load once, or which vectors along the rows have written out (region_columns.h).
/// Example   points of f32[50000,4] times a matrix of f32[4,3]
bool has_few_terms(const Product& p, ElementType type) {
  constexpr int64_t kFewTerms = 12;
  if (element_type_info(type).bits < 32 || p.contracted > kFewTerms) return false;
  const int64_t extents[] = {p.batch, p.rows, p.columns, p.contracted};
  return p.columns_are_adjacent ? is_floating(type) : first_column(extents) <= 2;
}

/// Whether a library call doesn't pay off: tiny matrices, and matrix-vector products, where memory bandwidth is the
/// limit.
bool is_small_dot(const Graph& graph, const Node& node, const Costs& costs) {
  const auto& a = hlo::attributes_of<hlo::DotAttributes>(*node.instruction);
  const Shape &lhs = graph.values[node.operands[0]].shape, &rhs = graph.values[node.operands[1]].shape;
  const ElementType result = graph.values[node.results[0]].shape.element_type();
  if (const auto sums = hlo::sum_type(lhs, rhs, result); !sums.ok() || *sums != result) return false;
  const Product p = product_of(a, lhs, rhs);
  if (p.batch == 0 || p.contracted == 0) return true;
  const bool is_of_floats = is_floating(lhs.element_type()) || is_complex(lhs.element_type());
  if (p.rows <= 1 || p.columns <= 1)
    return !is_of_floats || !p.batch_is_adjacent || !is_slow_across(p, p.rows > p.columns ? lhs : rhs, costs);
  if (is_complex(lhs.element_type())) return false;
  if (lhs.element_type() == result && rhs.element_type() == result && has_few_terms(p, result)) return true;
  if (!is_floating(lhs.element_type()) && !is_integer(result)) return true;
  if (is_of_floats && !p.columns_are_adjacent && is_slow_across(p, rhs, costs)) return false;
  // Blocks of rows share loads if vectors run along the contiguous columns and the block fits in a core's cache.
  const bool blocked = p.columns >= 16 && !hlo::contains(a.rhs_contracting_dimensions, rhs.rank() - 1) &&
                       p.columns * p.contracted * element_size_bytes(rhs.element_type()) <= costs.core_cache_bytes;
  const auto [loop, library] = term_costs(lhs, rhs, blocked, costs);
  return p.terms() * (loop - library) <= costs.product_call;
}

bool has_equal_widths(const Graph& graph, const Node& node) {
  return keeps_width(graph.values[node.operands[0]].shape.element_type(),
                     graph.values[node.results[0]].shape.element_type());
}

}  // namespace

RegionOp region_op_of(const Graph& graph, const Node& node, const Costs& costs) {
  const hlo::Instruction& i = *node.instruction;
  if (!all_are_arrays(graph, node)) return RegionOp::kNone;
  if (is_lanewise(i.opcode)) return cost_of(i);
  switch (i.opcode) {  // NOLINT: partial on purpose; all other opcodes are separate items
    case Opcode::kConstant:
      return splat_bits(hlo::attributes_of<hlo::ConstantAttributes>(i).value) ? RegionOp::kFree : RegionOp::kNone;
    case Opcode::kIota: return RegionOp::kFree;
    // The reader of a repeated number needs no more nodes or memory than for the number.
    case Opcode::kBroadcast: return is_scalar_broadcast(graph, node) ? RegionOp::kFree : RegionOp::kMovement;
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kDynamicSlice: return RegionOp::kMovement;
    // Each operand's region has its own offset in its code, so none is shared. One function copies many operands
    // instead.
    case Opcode::kConcatenate: return node.operands.size() > kMaxConcatenated ? RegionOp::kNone : RegionOp::kCheap;
    case Opcode::kGather:
    case Opcode::kDynamicUpdateSlice: return RegionOp::kCheap;
    case Opcode::kPad: return is_plain_padding(i) ? RegionOp::kCheap : RegionOp::kNone;
    case Opcode::kBitcastConvert: return has_equal_widths(graph, node) ? RegionOp::kCheap : RegionOp::kNone;
    case Opcode::kDot: return is_small_dot(graph, node, costs) ? RegionOp::kReduce : RegionOp::kNone;
    case Opcode::kReduce: {
      const auto& reduce = hlo::attributes_of<hlo::ReduceAttributes>(i);
      // A reduction over no dimension has no row.
      return is_scalar_body(*reduce.to_apply) && !reduce.dimensions.empty() ? RegionOp::kReduce : RegionOp::kNone;
    }
    default: return RegionOp::kNone;
  }
}

bool is_scalar_broadcast(const Graph& graph, const Node& node) {
  return node.instruction->opcode == Opcode::kBroadcast && graph.values[node.operands[0]].shape.rank() == 0;
}

bool is_region_op(const Graph& graph, const Node& node, const Costs& costs) {
  return region_op_of(graph, node, costs) != RegionOp::kNone;
}

}  // namespace hilo::engine
