// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/rewrite/rewrite_sink.h"
#include "hilo/hlo/rewrite/rewrite_where.h"

namespace hilo::hlo {
namespace {

/// Returns whether the op's results have the bits of its operands, NaNs included.
bool keeps_bits(const Instruction& i) {
  return has_trait(i.opcode, kMovesData) || i.opcode == Opcode::kSelect || i.opcode == Opcode::kTuple;
}

/// Returns whether the op's results depend on more of a NaN than that it is one.
bool reads_nans(const Instruction& i, const Computation& c) {
  if (i.opcode == Opcode::kCompare)
    return attributes_of<CompareAttributes>(i).type == ComparisonType::kTotalOrder &&
           is_floating(c.instruction(i.operands[0]).shape.element_type());
  return i.opcode == Opcode::kBitcastConvert || i.opcode == Opcode::kSort;
}

/// Marks the instructions whose results the marked ones move: the bits of their NaNs are seen, too.
void spread(const Computation& c, std::vector<bool>& seen) {
  for (InstructionId id = c.size(); id-- > 0;) {
    const Instruction& i = c.instruction(id);
    if (!seen[id] || !keeps_bits(i)) continue;
    for (const InstructionId operand : i.operands) seen[operand] = true;
  }
}

std::vector<bool> seen_by_ops(const Computation& c) {
  std::vector<bool> seen(c.size());
  for (const Instruction& i : c.instructions()) {
    if (!reads_nans(i, c)) continue;
    for (const InstructionId operand : i.operands) seen[operand] = true;
  }
  return seen;
}

std::vector<bool> seen_by_callers(const Computation& c) {
  std::vector<bool> seen(c.size());
  seen[c.root().id] = true;
  return seen;
}

/// Returns x with the same NaN in the place of all.
Expr with_one_nan(Expr x) {
  const Shape shape = x.shape();
  if (shape.is_tuple()) {
    Exprs elements;
    for (int64_t k = 0; k < shape.tuple_size(); ++k) elements.push_back(with_one_nan(element(x, k)));
    return tuple(*x.sink, elements);
  }
  if (!shape.is_array()) return x;
  if (is_complex(shape.element_type()))
    return x.sink->add(Opcode::kComplex, {with_one_nan(real(x)), with_one_nan(imag(x))});
  if (!is_floating(shape.element_type())) return x;
  return select(x != x, full_like(x, std::numeric_limits<double>::quiet_NaN()), x);
}

StatusOr<ComputationPtr> normalize(const ComputationPtr& source, std::vector<bool> seen) {
  spread(*source, seen);
  const auto is_computed = [&](const Instruction& i) {
    const bool is_given =
        i.opcode == Opcode::kParameter || i.opcode == Opcode::kConstant || i.opcode == Opcode::kBitcastConvert;
    return seen[i.id] && !is_given && !keeps_bits(i);
  };
  return rewrite_where(source, {.share = false}, is_computed,
                       [](RewriteBuilder& b, const Instruction& i) -> StatusOr<InstructionId> {
                         RewriteSink sink(b);
                         return with_one_nan(sink.at(b.copy(i))).id;
                       });
}

}  // namespace

StatusOr<bool> normalize_nans(Module& module) {
  const auto before_readers = [](const ComputationPtr& c) { return normalize(c, seen_by_ops(*c)); };
  HILO_ASSIGN_OR_RETURN(const bool changed, rewrite_computations(module, before_readers));
  HILO_ASSIGN_OR_RETURN(ComputationPtr entry, normalize(module.entry, seen_by_callers(*module.entry)));
  const bool same = entry == module.entry;
  module.entry = std::move(entry);
  return changed || !same;
}

}  // namespace hilo::hlo
