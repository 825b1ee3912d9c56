// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/buckets/bucket_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/buckets/padded_op.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/ext/scan.h"

namespace hilo::hlo {
namespace {

/// The values of the pattern's constants and sizes in the program that is being written: every computation has them as
/// parameters.
struct Known {
  Exprs constants, sizes;

  Exprs all() const {
    Exprs values = constants;
    values.insert(values.end(), sizes.begin(), sizes.end());
    return values;
  }
};

Known known_of(const SizePattern& pattern, std::span<const Expr> values) {
  const size_t constants = pattern.constants.size();
  return {Exprs(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(constants)),
          Exprs(values.begin() + static_cast<std::ptrdiff_t>(constants), values.end())};
}

std::vector<Shape> known_shapes(const SizePattern& pattern) {
  std::vector<Shape> shapes;
  for (const Instruction* constant : pattern.constants) shapes.push_back(constant->shape);
  shapes.resize(shapes.size() + pattern.values.size(), Shape::scalar(ElementType::kS32));
  return shapes;
}

std::vector<Shape> joined(std::vector<Shape> shapes, std::span<const Shape> more) {
  shapes.insert(shapes.end(), more.begin(), more.end());
  return shapes;
}

Exprs joined(Exprs exprs, std::span<const Expr> more) {
  exprs.insert(exprs.end(), more.begin(), more.end());
  return exprs;
}

/// Writes the instructions of a computation of the pattern, on padded arrays.
class Writer {
 public:
  Writer(const SizePattern& pattern, Sink& sink, const Known& known) : pattern_(pattern), sink_(sink), known_(known) {}

  /// Returns the root.
  StatusOr<Expr> write(const Computation& small, const Computation& large, std::span<const Expr> parameters) {
    Exprs written;
    for (const Instruction& i : large.instructions()) {
      PaddedOp op{pattern_, small, large, small.instruction(i.id), i, {}, known_.sizes, sink_};
      for (const InstructionId operand : i.operands) op.operands.push_back(written[operand]);
      HILO_ASSIGN_OR_RETURN(const Expr result, write_one(op, parameters));
      HILO_RETURN_IF_ERROR(sink_.status());
      written.push_back(result);
    }
    return written[large.root_id()];
  }

 private:
  StatusOr<Expr> write_one(const PaddedOp& op, std::span<const Expr> parameters) {
    const Opcode opcode = op.large.opcode;
    if (opcode == Opcode::kParameter)
      return parameters[static_cast<size_t>(attributes_of<ParameterAttributes>(op.large).number)];
    if (opcode == Opcode::kConstant) {
      const auto at = pattern_.constant_index.find(&op.large);
      return at == pattern_.constant_index.end() ? op.as_large({}) : known_.constants[at->second];
    }
    if (opcode == Opcode::kWhile) return write_while(op);
    if (opcode == Opcode::kConditional) return write_conditional(op);
    if (opcode == kExtScan) return write_scan(op);
    if (opcode == Opcode::kCall || opcode == kExtCustomRules || opcode == kExtCustomVjp)
      return write(*run_computations(op.small)[0], *run_computations(op.large)[0], op.operands);
    return padded_op(op);
  }

  /// Returns the computation with the known values as its last parameters.
  StatusOr<ComputationPtr> with_known(const Computation& small, const Computation& large) {
    Decomposition inner(large.name(), joined(large.parameter_shapes(), known_shapes(pattern_)));
    const std::span<const Expr> all = inner.operands();
    const auto own = static_cast<size_t>(large.parameter_count());
    const Known known = known_of(pattern_, all.subspan(own));
    HILO_ASSIGN_OR_RETURN(const Expr root, Writer(pattern_, inner, known).write(small, large, all.first(own)));
    return std::move(inner).finish(root);
  }

  /// Returns the computation over the tuple (its parameter, the known values). A body returns such a tuple.
  StatusOr<ComputationPtr> over_tuple(const Computation& small, const Computation& large, bool is_body) {
    const std::vector<Shape> known = known_shapes(pattern_);
    const Shape carry = Shape::tuple(joined({large.parameter(0).shape}, known));
    Decomposition inner(large.name(), std::span(&carry, 1));
    Exprs elements;
    for (size_t k = 0; k <= known.size(); ++k) elements.push_back(element(inner.operand(0), static_cast<int64_t>(k)));
    const std::span<const Expr> all = elements;
    const Known values = known_of(pattern_, all.subspan(1));
    HILO_ASSIGN_OR_RETURN(const Expr root, Writer(pattern_, inner, values).write(small, large, all.first(1)));
    return std::move(inner).finish(is_body ? tuple(inner, joined({root}, all.subspan(1))) : root);
  }

  Expr with_values(Expr operand) { return tuple(sink_, joined({operand}, known_.all())); }

  StatusOr<Expr> write_while(const PaddedOp& op) {
    const auto& small = attributes_of<WhileAttributes>(op.small);
    const auto& large = attributes_of<WhileAttributes>(op.large);
    auto own = std::make_shared<WhileAttributes>(large);
    HILO_ASSIGN_OR_RETURN(own->condition, over_tuple(*small.condition, *large.condition, false));
    HILO_ASSIGN_OR_RETURN(own->body, over_tuple(*small.body, *large.body, true));
    return element(sink_.add(Opcode::kWhile, {with_values(op.operands[0])}, own), 0);
  }

  StatusOr<Expr> write_conditional(const PaddedOp& op) {
    const auto& small = attributes_of<ConditionalAttributes>(op.small);
    auto own = std::make_shared<ConditionalAttributes>(attributes_of<ConditionalAttributes>(op.large));
    Exprs operands = {op.operands[0]};
    for (size_t k = 0; k < own->branches.size(); ++k) {
      HILO_ASSIGN_OR_RETURN(own->branches[k], over_tuple(*small.branches[k], *own->branches[k], false));
      operands.push_back(with_values(op.operands[k + 1]));
    }
    return sink_.add(Opcode::kConditional, operands, own);
  }

  StatusOr<Expr> write_scan(const PaddedOp& op) {
    const auto& small = attributes_of<ScanAttributes>(op.small);
    const auto& large = attributes_of<ScanAttributes>(op.large);
    auto own = std::make_shared<ScanAttributes>(large);
    own->constant_count += std::ssize(pattern_.constants) + std::ssize(pattern_.values);
    if (small.length == large.length) {
      HILO_ASSIGN_OR_RETURN(own->step, step_with_known(*small.step, *large.step));
      return sink_.add(kExtScan, joined(known_.all(), op.operands), own);
    }
    if (loops_inside(*large.step))
      return unimplemented(
          fmt::format("{}: its length depends on the size, and its step has a loop that might not end "
                      "on padding",
                      describe(op.large)));
    HILO_ASSIGN_OR_RETURN(own->step, step_that_stops(op, small, large));
    ++own->carry_count;
    Exprs operands = known_.all();
    const auto constants = static_cast<size_t>(large.constant_count);
    const std::span<const Expr> given = op.operands;
    operands = joined(std::move(operands), given.first(constants));
    operands.push_back(
        full(sink_, Shape::scalar(ElementType::kS32), static_cast<double>(large.reverse ? large.length - 1 : 0)));
    operands = joined(std::move(operands), given.subspan(constants));
    const Expr all = sink_.add(kExtScan, operands, own);
    HILO_RETURN_IF_ERROR(sink_.status());
    Exprs results;
    for (int64_t k = 1; k < all.shape().tuple_size(); ++k) results.push_back(element(all, k));
    return tuple(sink_, results);
  }

  /// Returns the step with the known values as its first constants.
  StatusOr<ComputationPtr> step_with_known(const Computation& small, const Computation& large) {
    const std::vector<Shape> known = known_shapes(pattern_);
    Decomposition inner(large.name(), joined(known, large.parameter_shapes()));
    const std::span<const Expr> all = inner.operands();
    const Known values = known_of(pattern_, all.first(known.size()));
    HILO_ASSIGN_OR_RETURN(const Expr root,
                          Writer(pattern_, inner, values).write(small, large, all.subspan(known.size())));
    return std::move(inner).finish(root);
  }

  /// Returns the step with an index as its first carry. Rows that are padding leave the other carries unchanged.
  StatusOr<ComputationPtr> step_that_stops(const PaddedOp& op, const ScanAttributes& small,
                                           const ScanAttributes& large) {
    const std::vector<Shape> known = known_shapes(pattern_);
    const size_t constants = known.size() + static_cast<size_t>(large.constant_count);
    std::vector<Shape> shapes = joined(known, large.step->parameter_shapes());
    shapes.insert(shapes.begin() + static_cast<std::ptrdiff_t>(constants), Shape::scalar(ElementType::kS32));
    Decomposition inner(large.step->name(), shapes);
    const std::span<const Expr> all = inner.operands();
    const Known values = known_of(pattern_, all.first(known.size()));
    const Expr index = all[constants];
    Exprs parameters = joined(Exprs(all.begin() + static_cast<std::ptrdiff_t>(known.size()),
                                    all.begin() + static_cast<std::ptrdiff_t>(constants)),
                              all.subspan(constants + 1));
    HILO_ASSIGN_OR_RETURN(const Expr root, Writer(pattern_, inner, values).write(*small.step, *large.step, parameters));
    const Expr is_row = index < values.sizes[op.pattern.size_of(small.length, large.length)];
    Exprs results = {large.reverse ? index - 1.0 : index + 1.0};
    for (int64_t k = 0; k < large.step->result_shape().tuple_size(); ++k) {
      Expr result = element(root, k);
      if (k < large.carry_count) {
        const Expr before = parameters[static_cast<size_t>(large.constant_count + k)];
        result = select(broadcast(is_row, result.shape().dimensions(), {}), result, before);
      }
      results.push_back(result);
    }
    return std::move(inner).finish(tuple(inner, results));
  }

  static bool loops_inside(const Computation& computation) {
    return std::ranges::any_of(computation.instructions(), [](const Instruction& i) {
      if (i.opcode == Opcode::kWhile) return true;
      return std::ranges::any_of(called_computations(i), [](const ComputationPtr& c) { return loops_inside(*c); });
    });
  }

  const SizePattern& pattern_;
  Sink& sink_;
  const Known& known_;
};

}  // namespace

StatusOr<ComputationPtr> bucket_program(const SizePattern& pattern) {
  const Computation& large = *pattern.large;
  if (large.has_effect()) return unimplemented(fmt::format("'{}': it has an effect", large.name()));
  Decomposition program(large.name(), joined(large.parameter_shapes(), known_shapes(pattern)));
  const std::span<const Expr> all = program.operands();
  const auto own = static_cast<size_t>(large.parameter_count());
  const Known known = known_of(pattern, all.subspan(own));
  HILO_ASSIGN_OR_RETURN(const Expr root, Writer(pattern, program, known).write(*pattern.small, large, all.first(own)));
  return std::move(program).finish(root);
}

}  // namespace hilo::hlo
