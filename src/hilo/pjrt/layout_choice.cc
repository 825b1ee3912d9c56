// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/layout_choice.h"

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ops/reshape.h"

namespace hilo::pjrt {
namespace {

/// Returns the minor-to-major order of a chain of transposes of a parameter; nothing for other instructions.
std::optional<std::vector<int64_t>> order_of(const hlo::Computation& entry, hlo::InstructionId id,
                                             const std::vector<ProgramValue>& arguments) {
  const hlo::Instruction* at = &entry.instruction(id);
  std::vector<int64_t> source(at->shape.rank());  // source dimension of each dimension of the result
  std::iota(source.begin(), source.end(), 0);
  for (; at->opcode == hlo::Opcode::kTranspose; at = &entry.instruction(at->operands[0])) {
    const hlo::Int64List& permutation = hlo::attributes_of<hlo::TransposeAttributes>(*at).permutation;
    for (int64_t& d : source) d = permutation[d];
  }
  for (size_t p = 0; p < arguments.size(); ++p) {
    if (entry.parameter(p).id != at->id) continue;
    std::vector<int64_t> order;
    for (const int64_t d : arguments[p].placement.whole.minor_to_major())
      order.push_back(std::find(source.begin(), source.end(), d) - source.begin());
    return order;
  }
  return std::nullopt;
}

}  // namespace

void choose_layouts(const hlo::Module& module, const std::vector<ProgramValue>& arguments,
                    std::vector<ProgramValue>& results) {
  const hlo::Computation& entry = *module.entry;
  if (static_cast<size_t>(entry.parameter_count()) != arguments.size()) return;  // some parameters are tuples
  const hlo::Instruction& root = entry.root();
  const bool is_list = root.opcode == hlo::Opcode::kTuple && root.operands.size() == results.size();
  if (!is_list && (root.shape.is_tuple() || results.size() != 1)) return;
  for (size_t i = 0; i < results.size(); ++i) {
    Placement& placement = results[i].placement;
    if (!results[i].free_layout || !placement.whole.is_array()) continue;
    const auto order = order_of(entry, is_list ? root.operands[i] : entry.root_id(), arguments);
    if (!order) continue;
    placement.whole = placement.whole.with_layout(*order);
    placement.part = placement.part.with_layout(*order);
  }
}

}  // namespace hilo::pjrt
