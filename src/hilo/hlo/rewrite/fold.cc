// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/rewrite/fold.h"

#include <algorithm>
#include <cstring>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/types/checked.h"

namespace hilo::hlo {
namespace {

/// An operand with a known value: a constant, or a scalar constant that a broadcast repeats.
struct Known {
  const Literal* value = nullptr;
  bool is_repeated = false;
};

Known known_value(const RewriteBuilder& b, InstructionId id) {
  const bool is_broadcast = b.opcode(id) == Opcode::kBroadcast;
  const InstructionId source = is_broadcast ? b.node(id).operand(0) : id;
  if (b.opcode(source) != Opcode::kConstant) return {};
  const Literal& value = attributes_of<ConstantAttributes>(b.node(source)).value;
  if (!value.shape().is_array() || (is_broadcast && !value.shape().is_scalar())) return {};
  return {&value, is_broadcast};
}

/// Ops whose values are larger than the ops themselves, or whose results aren't computed from one array.
constexpr Opcode kNeverFolded[] = {
    Opcode::kBroadcast,       Opcode::kIota,  Opcode::kConstant,    Opcode::kParameter, Opcode::kTuple,
    Opcode::kGetTupleElement, Opcode::kWhile, Opcode::kConditional, Opcode::kCall,
};

bool may_fold(const RewriteNode& node) {
  if (node.operands.empty() || !node.shape.is_array() || has_trait(node.opcode, kEffect | kBarrier | kExtension))
    return false;
  return std::find(std::begin(kNeverFolded), std::end(kNeverFolded), node.opcode) == std::end(kNeverFolded) &&
         op_def(node.opcode).evaluate != nullptr;
}

/// Returns `work` times the number of elements of a window.
std::optional<int64_t> window_work(const Window& window, std::optional<int64_t> work) {
  for (const WindowDimension& w : window) work = work ? checked_mul(*work, w.size) : work;
  return work;
}

bool is_scalar_step(const Instruction& i) {
  const bool is_value = i.shape.is_scalar() && (i.opcode == Opcode::kParameter || i.opcode == Opcode::kConstant ||
                                                (is_elementwise(i.opcode) && !has_trait(i.opcode, kEffect)));
  return is_value || i.opcode == Opcode::kTuple || i.opcode == Opcode::kGetTupleElement;
}

/// Returns the number of scalar instructions in one run of all computations that `node` calls. Returns nullopt if they
/// do more than scalar arithmetic: a loop may not end, and the size of nested calls is unknown.
std::optional<int64_t> called_steps(const RewriteNode& node) {
  Instruction instruction;
  instruction.opcode = node.opcode;
  instruction.attributes = node.attributes;
  int64_t steps = 0;
  for (const ComputationPtr& called : called_computations(instruction)) {
    if (!std::ranges::all_of(called->instructions(), is_scalar_step)) return std::nullopt;
    steps += called->size();
  }
  return steps;
}

/// Returns the largest extent of an operand: the work per element of a decomposed op.
int64_t largest_extent(const RewriteBuilder& b, const RewriteNode& node) {
  int64_t largest = 1;
  for (InstructionId id : node.operands) {
    for (int64_t extent : b.shape(id).dimensions()) largest = std::max(largest, extent);
  }
  return largest;
}

/// Estimates the scalar steps of the reference kernel; nullopt on overflow.
std::optional<int64_t> work_of(const RewriteBuilder& b, const RewriteNode& node) {
  int64_t work = node.shape.element_count();
  for (InstructionId id : node.operands) work = checked_add(work, b.shape(id).element_count()).value_or(INT64_MAX / 2);
  if (node.opcode == Opcode::kDot) {
    int64_t terms = node.shape.element_count();
    for (int64_t d : attributes_of<DotAttributes>(node).lhs_contracting_dimensions) {
      const auto product = checked_mul(terms, b.shape(node.operand(0)).dimension(d));
      if (!product) return std::nullopt;
      terms = *product;
    }
    return checked_add(work, terms);
  }
  if (node.opcode == Opcode::kConvolution) {
    const int64_t outputs = attributes_of<ConvolutionAttributes>(node).dimensions.kernel_output;
    const Shape& kernel = b.shape(node.operand(1));
    const auto terms = checked_mul(node.shape.element_count(),
                                   kernel.element_count() / std::max<int64_t>(1, kernel.dimension(outputs)));
    return terms ? checked_add(work, *terms) : std::nullopt;
  }
  // A called computation is interpreted for every element, every element of a window, or every comparison of a sort.
  const std::optional<int64_t> called = called_steps(node);
  if (!called) return std::nullopt;
  const int64_t steps = 64 * (1 + *called / 32);
  if (node.opcode == Opcode::kReduceWindow)
    return window_work(attributes_of<ReduceWindowAttributes>(node).window, checked_mul(work, steps));
  if (node.opcode == Opcode::kSelectAndScatter)
    return window_work(attributes_of<SelectAndScatterAttributes>(node).window, checked_mul(work, steps));
  if (node.opcode == Opcode::kReduce || node.opcode == Opcode::kScatter) return checked_mul(work, steps);
  if (node.opcode == Opcode::kSort) return checked_mul(work, 16 * steps);
  if (node.opcode == Opcode::kFft || node.opcode == Opcode::kCholesky || node.opcode == Opcode::kTriangularSolve)
    return checked_mul(work, largest_extent(b, node));
  return checked_mul(work, *called > 0 ? steps : 1);
}

/// Returns `scalar` repeated in every element of `shape`.
Literal repeated(const Literal& scalar, const Shape& shape) {
  Literal literal(shape);
  const std::span<const std::byte> element = scalar.bytes();
  const std::span<std::byte> bytes = literal.mutable_bytes();
  for (size_t i = 0; i < bytes.size(); i += element.size())
    std::memcpy(bytes.data() + i, element.data(), element.size());
  return literal;
}

/// Runs a reducer or comparator.
StatusOr<Literal> run_body(const Computation& body, std::span<const Literal* const> arguments) {
  std::vector<Literal> values;
  values.reserve(arguments.size());
  for (const Literal* argument : arguments) values.push_back(*argument);
  EvaluateOptions options;
  options.collective = [](const Instruction& instruction, std::span<const Literal* const>) -> StatusOr<Literal> {
    return failed_precondition(describe(instruction) + ": known at run time only");
  };
  return evaluate(body, values, options);
}

/// Evaluates `node` with result shape `shape` on these values.
StatusOr<Literal> evaluate_node(const RewriteNode& node, const Shape& shape, std::span<const Literal* const> values) {
  std::vector<InstructionId> ids(values.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<InstructionId>(i);
  Instruction instruction;
  instruction.opcode = node.opcode;
  instruction.id = static_cast<InstructionId>(values.size());
  instruction.shape = shape;
  instruction.operands = ids;
  instruction.attributes = node.attributes;
  static const std::function<StatusOr<Literal>(const Computation&, std::span<const Literal* const>)> kRun = run_body;
  return instruction.def().evaluate({instruction, values, kRun});
}

/// Folds an op whose operands repeat one scalar each: op(broadcast(x), broadcast(y)) -> broadcast(op(x, y)).
InstructionId fold_repeated(RewriteBuilder& b, const RewriteNode& node, std::span<const Known> operands) {
  std::vector<const Literal*> values;
  for (const Known& k : operands) values.push_back(k.value);
  StatusOr<Literal> value = evaluate_node(node, Shape::scalar(node.shape.element_type()), values);
  return value.ok() ? b.splat(node.shape, std::move(value).value()) : kNoInstruction;
}

}  // namespace

InstructionId fold_constant(RewriteBuilder& b, const RewriteNode& node) {
  if (!may_fold(node)) return kNoInstruction;
  std::vector<Known> operands;
  int64_t stored = 0;  // elements that the program already stores
  bool all_scalars = true;
  for (InstructionId id : node.operands) {
    const Known k = known_value(b, id);
    if (k.value == nullptr) return kNoInstruction;
    all_scalars &= k.value->shape().is_scalar();
    stored += k.value->shape().element_count();
    operands.push_back(k);
  }
  if (is_elementwise(node.opcode) && all_scalars) return fold_repeated(b, node, operands);
  const int64_t count = node.shape.element_count();
  if (count > kMaxFoldedElements || (count > stored && count > kAlwaysFoldedElements)) return kNoInstruction;
  const std::optional<int64_t> work = work_of(b, node);
  if (!work || *work > kMaxFoldedWork) return kNoInstruction;
  std::vector<Literal> repetitions;
  repetitions.reserve(operands.size());
  std::vector<const Literal*> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_repeated) repetitions.push_back(repeated(*operands[i].value, b.shape(node.operand(i))));
    values.push_back(operands[i].is_repeated ? &repetitions.back() : operands[i].value);
  }
  StatusOr<Literal> value = evaluate_node(node, node.shape.with_default_layout(), values);
  // An op whose evaluation fails is left to run time.
  return value.ok() ? b.constant(std::move(value).value()) : kNoInstruction;
}

}  // namespace hilo::hlo
