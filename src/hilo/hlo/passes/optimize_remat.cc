// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {
namespace {

/// Returns the number of results of the op's function; 0 for other ops. The op's results are those of the function, the
/// same from fwd, and the residuals.
int64_t function_results(const Instruction& i) {
  if (i.opcode != kExtCustomRules) return 0;
  const auto& own = attributes_of<CustomRulesAttributes>(i);
  if (own.rules != kOptimizeRemat) return 0;
  int64_t count = 0;
  std::from_chars(own.detail.data(), own.detail.data() + own.detail.size(), count);
  return count;
}

int64_t element_of(const Instruction& i) { return attributes_of<GetTupleElementAttributes>(i).index; }

/// Marks ops of which a needed instruction reads a residual, or the whole tuple.
std::vector<bool> with_residuals_in_use(const Computation& c) {
  std::vector<bool> live(c.size()), in_use(c.size());
  live[c.root_id()] = true;
  for (InstructionId id = c.size(); id-- > 0;) {
    const Instruction& i = c.instruction(id);
    live[id] = live[id] || is_kept_when_unused(i.opcode, i.attributes);
    if (!live[id]) continue;
    for (InstructionId operand : i.operands) {
      live[operand] = true;
      const int64_t count = function_results(c.instruction(operand));
      in_use[operand] = in_use[operand] || i.opcode != Opcode::kGetTupleElement || element_of(i) >= 2 * count;
    }
  }
  in_use[c.root_id()] = true;
  return in_use;
}

StatusOr<ComputationPtr> optimize_in(const ComputationPtr& source) {
  if (!has_opcode(*source, kExtCustomRules)) return source;
  const std::vector<bool> in_use = with_residuals_in_use(*source);
  RewriteBuilder b(source, {.share = false});
  for (const Instruction& i : source->instructions()) {
    b.at(i);
    const int64_t count =
        i.opcode == Opcode::kGetTupleElement ? function_results(source->instruction(i.operands[0])) : 0;
    const bool from_fwd = count > 0 && element_of(i) >= count && element_of(i) < 2 * count;
    if (from_fwd && !in_use[i.operands[0]])
      b.replace(i.id, b.get_tuple_element(b.mapped(i.operands[0]), element_of(i) - count));
    else b.copy(i);
  }
  return b.finish();
}

}  // namespace

StatusOr<bool> optimize_remat(Module& module) { return rewrite_computations(module, optimize_in); }

}  // namespace hilo::hlo
