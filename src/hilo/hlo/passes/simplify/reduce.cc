// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reduce.h"

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/build/lifted_body.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/hlo/rewrite/rewrite_sink.h"

namespace hilo::hlo {
namespace {

/// A reducer that computes on the bits of its operands as integers.
struct BitsReducer {
  Opcode opcode;
  ElementType type;
};

/// Returns the parameter whose bits the instruction returns as an integer; -1 for other instructions.
int64_t parameter_of_bits(const Computation& body, InstructionId id) {
  const Instruction& i = body.instruction(id);
  if (i.opcode != Opcode::kBitcastConvert || !is_integer(i.shape)) return -1;
  const Instruction& from = body.instruction(i.operands[0]);
  return from.opcode == Opcode::kParameter && from.shape.is_scalar() ? parameter_number(from) : -1;
}

bool are_both_parameters(const Computation& body, std::span<const InstructionId> pair) {
  const int64_t first = parameter_of_bits(body, pair[0]), second = parameter_of_bits(body, pair[1]);
  return first >= 0 && second >= 0 && first + second == 1;
}

/// bitcast(op(bitcast(p0), bitcast(p1)))
std::optional<BitsReducer> operation_on_bits(const Computation& body) {
  const Instruction& root = body.root();
  if (root.opcode != Opcode::kBitcastConvert) return std::nullopt;
  const Instruction& op = body.instruction(root.operands[0]);
  if (op.operands.size() != 2 || !op.shape.is_scalar() || !are_both_parameters(body, op.operands)) return std::nullopt;
  for (const Opcode known :
       {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum, Opcode::kAnd, Opcode::kOr, Opcode::kXor}) {
    if (op.opcode == known) return BitsReducer{known, op.shape.element_type()};
  }
  return std::nullopt;
}

/// select(compare(bitcast(x), bitcast(y)), x, y): if the bits are equal, either operand is right.
std::optional<BitsReducer> extreme_of_bits(const Computation& body) {
  const Instruction& root = body.root();
  if (root.opcode != Opcode::kSelect) return std::nullopt;
  const Instruction& test = body.instruction(root.operands[0]);
  if (test.opcode != Opcode::kCompare || !are_both_parameters(body, test.operands)) return std::nullopt;
  const auto& compare = attributes_of<CompareAttributes>(test);
  const Shape& bits = body.instruction(test.operands[0]).shape;
  if (compare.type != ComparisonType::kDefault &&
      compare.type != (is_signed_integer(bits) ? ComparisonType::kSigned : ComparisonType::kUnsigned))
    return std::nullopt;
  const auto direction = compare.direction;
  if (direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe) return std::nullopt;
  const InstructionId x = body.instruction(test.operands[0]).operands[0];
  const InstructionId y = body.instruction(test.operands[1]).operands[0];
  const bool same = root.operands[1] == x && root.operands[2] == y,
             turned = root.operands[1] == y && root.operands[2] == x;
  if (!same && !turned) return std::nullopt;
  const bool greater = direction == ComparisonDirection::kGt || direction == ComparisonDirection::kGe;
  return BitsReducer{greater == same ? Opcode::kMaximum : Opcode::kMinimum, bits.element_type()};
}

/// Converts such a reduction to one of integers, whose order is free.
InstructionId reduce_bits(RewriteBuilder& b, const RewriteNode& n) {
  const auto& reduce = attributes_of<ReduceAttributes>(n);
  const Computation& body = *reduce.to_apply;
  std::optional<BitsReducer> reducer = operation_on_bits(body);
  if (!reducer) reducer = extreme_of_bits(body);
  const ElementType type = n.shape.element_type();
  const bool of_one_type = b.shape(n.operand(0)).element_type() == type && b.shape(n.operand(1)).element_type() == type;
  if (!reducer || !of_one_type || element_type_info(reducer->type).bits != element_type_info(type).bits)
    return kNoInstruction;
  const StatusOr<ComputationPtr> to_apply = scalar_binary_computation(reducer->opcode, reducer->type);
  if (!to_apply.ok()) return kNoInstruction;
  std::vector<InstructionId> operands;
  for (const InstructionId o : n.operands)
    operands.push_back(b.add(Opcode::kBitcastConvert, {o}, nullptr, b.shape(o).with_element_type(reducer->type)));
  const AttributesPtr attributes = make<ReduceAttributes>([&](auto& a) {
    a.dimensions = reduce.dimensions;
    a.to_apply = *to_apply;
  });
  const InstructionId reduced = b.add(Opcode::kReduce, operands, attributes, n.shape.with_element_type(reducer->type));
  return b.add(Opcode::kBitcastConvert, {reduced}, nullptr, n.shape);
}

constexpr int64_t kMaxPieces = 8;  // the body is repeated for each

/// Whether it is a concatenation along `d` of slices of thickness 1.
bool is_stack(const RewriteBuilder& b, InstructionId id, int64_t d) {
  const RewriteNode* const x = match(b, id, Opcode::kConcatenate);
  return x != nullptr && attributes_of<ConcatenateAttributes>(*x).dimension == d && std::ssize(x->operands) > 1 &&
         std::ssize(x->operands) == b.shape(id).dimension(d) && std::ssize(x->operands) <= kMaxPieces;
}

/// reduce(concatenate(x, y, z)) -> body(body(body(init, x), y), z), if each of x, y, z has one element to reduce. Other
/// operands, such as the places of argmax, are sliced. Sums and products stay: the engine chooses their order, and adds
/// narrow floats in f32. Example: jnp.select, jnp.stack([x, y, z]).max(0).
InstructionId reduce_of_stack(RewriteBuilder& b, const RewriteNode& n) {
  const auto& reduce = attributes_of<ReduceAttributes>(n);
  const auto arrays = n.operands.first(n.operands.size() / 2), inits = n.operands.subspan(arrays.size());
  if (reduce.dimensions.size() != 1 || !can_be_lifted(*reduce.to_apply)) return kNoInstruction;
  const int64_t d = reduce.dimensions[0];
  const ReducerKind kind = reduce.to_apply->reducer_kind();
  const bool is_ordered = kind != ReducerKind::kAdd && kind != ReducerKind::kMultiply;
  if (!is_ordered || std::ranges::none_of(arrays, [&](InstructionId x) { return is_stack(b, x, d); }))
    return kNoInstruction;
  RewriteSink sink(b);
  const Shape shape = n.shape.is_array() ? n.shape : n.shape.tuple_elements()[0];
  const std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  Exprs sums;
  for (const Expr init : sink.at_all(inits)) sums.push_back(sizes.empty() ? init : broadcast(init, sizes, {}));
  for (int64_t k = 0; k < b.shape(arrays[0]).dimension(d); ++k) {
    Exprs arguments = sums;
    for (const Expr x : sink.at_all(arrays)) arguments.push_back(reshape(slice(x, d, k, k + 1), sizes));
    sums = lifted(sink, *reduce.to_apply, sizes, arguments);
  }
  return (n.shape.is_array() ? sums[0] : tuple(sink, sums)).id;
}

}  // namespace

InstructionId simplify_reduce(RewriteBuilder& b, const RewriteNode& n) {
  if (const InstructionId steps = reduce_of_stack(b, n); steps != kNoInstruction) return steps;
  if (n.operands.size() != 2 || !n.shape.is_array()) return kNoInstruction;
  if (const InstructionId bits = reduce_bits(b, n); bits != kNoInstruction) return bits;
  const auto& reduce = attributes_of<ReduceAttributes>(n);
  const InstructionId x = n.operand(0), init = n.operand(1);
  bool is_empty = false, is_single = true;
  for (int64_t d : reduce.dimensions) {
    is_empty |= b.shape(x).dimension(d) == 0;
    is_single &= b.shape(x).dimension(d) == 1;
  }
  // Nothing to reduce -> the initial value.
  if (is_empty && b.shape(init).element_type() == n.shape.element_type()) return broadcast(b, init, {}, n.shape);
  // One element each -> init op x. The initial value stays, because 0 + -0 is 0; rules of the op may drop it.
  const std::optional<Opcode> opcode = opcode_of(reduce.to_apply->reducer_kind());
  if (!is_single || !opcode || b.shape(x).element_type() != n.shape.element_type()) return kNoInstruction;
  const InstructionId element = b.add(Opcode::kReshape, {x}, nullptr, n.shape);
  return b.add(*opcode, {n.shape.is_scalar() ? init : broadcast(b, init, {}, n.shape), element}, nullptr, n.shape);
}

}  // namespace hilo::hlo
