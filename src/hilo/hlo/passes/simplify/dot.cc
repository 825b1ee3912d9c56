// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/dot.h"

#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns the operand of a transpose, with `batch` and `contracting` renumbered for it. Returns nullopt if there is no
/// transpose, or if it changes the order of the free dimensions, which the result has.
std::optional<InstructionId> under_transpose(const RewriteBuilder& b, InstructionId x, Int64List& batch,
                                             Int64List& contracting) {
  const RewriteNode* transpose = match(b, x, Opcode::kTranspose);
  if (transpose == nullptr) return std::nullopt;
  const Int64List& permutation = attributes_of<TransposeAttributes>(*transpose).permutation;
  int64_t last = -1;
  for (const int64_t d : free_dimensions(transpose->shape.rank(), batch, contracting)) {
    if (permutation[d] < last) return std::nullopt;
    last = permutation[d];
  }
  for (int64_t& d : batch) d = permutation[d];
  for (int64_t& d : contracting) d = permutation[d];
  return transpose->operand(0);
}

/// Broadcasts an operand of a dot to the result's shape, without its contracted dimensions of size 1. `first_free` is
/// the result's dimension for the operand's first free dimension (neither batch nor contracted).
InstructionId spread(RewriteBuilder& b, InstructionId x, const Int64List& batch, const Int64List& contracting,
                     int64_t first_free, const Shape& result) {
  const Shape shape = b.node(x).shape;
  std::vector<int64_t> extents;
  Int64List dimensions;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (contains(contracting, d)) continue;
    const auto at = std::ranges::find(batch, d);
    extents.push_back(shape.dimension(d));
    dimensions.push_back(at != batch.end() ? at - batch.begin() : first_free++);
  }
  InstructionId y = b.add(Opcode::kReshape, {x}, nullptr, Shape::array(shape.element_type(), extents));
  if (shape.element_type() != result.element_type())
    y = b.add(Opcode::kConvert, {y}, nullptr, Shape::array(result.element_type(), extents));
  return broadcast(b, y, std::move(dimensions), result);
}

/// dot -> product of broadcasts, if each sum has one term.
InstructionId product_of_one_term(RewriteBuilder& b, const RewriteNode& n) {
  const DotAttributes dot = attributes_of<DotAttributes>(n);
  const InstructionId x = n.operand(0), y = n.operand(1);
  const Shape lhs = b.node(x).shape, rhs = b.node(y).shape, result = n.shape;
  const ElementType type = lhs.element_type(), wide = result.element_type();
  const bool is_one =
      std::ranges::all_of(dot.lhs_contracting_dimensions, [&](int64_t d) { return lhs.dimension(d) == 1; });
  const bool is_exact = type == rhs.element_type() &&
                        (is_float(lhs) ? is_float(result) : is_integer(lhs) && is_integer(result)) &&
                        element_type_info(wide).bits >= element_type_info(type).bits;
  if (!is_one || !is_exact) return kNoInstruction;
  const int64_t batches = dot.lhs_batch_dimensions.size();
  const int64_t lhs_free = lhs.rank() - batches - std::ssize(dot.lhs_contracting_dimensions);
  const InstructionId left = spread(b, x, dot.lhs_batch_dimensions, dot.lhs_contracting_dimensions, batches, result);
  const InstructionId right =
      spread(b, y, dot.rhs_batch_dimensions, dot.rhs_contracting_dimensions, batches + lhs_free, result);
  return sum_of_one(b, b.add(Opcode::kMultiply, {left, right}, nullptr, result));
}

}  // namespace

InstructionId simplify_dot(RewriteBuilder& b, const RewriteNode& n) {
  if (const InstructionId product = product_of_one_term(b, n); product != kNoInstruction) return product;
  // dot(transpose(x), y) -> dot(x, y) with renumbered dimensions of x. The sums and their order stay the same.
  DotAttributes dot = attributes_of<DotAttributes>(n);
  const auto x = under_transpose(b, n.operand(0), dot.lhs_batch_dimensions, dot.lhs_contracting_dimensions);
  const auto y = under_transpose(b, n.operand(1), dot.rhs_batch_dimensions, dot.rhs_contracting_dimensions);
  if (!x && !y) return kNoInstruction;
  return b.add(Opcode::kDot, {x.value_or(n.operand(0)), y.value_or(n.operand(1))},
               std::make_shared<DotAttributes>(std::move(dot)), n.shape);
}

}  // namespace hilo::hlo
