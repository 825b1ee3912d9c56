// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/result_moves.h"

#include <algorithm>

#include "hilo/engine/element_moves.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::engine {
namespace {

using hlo::Computation;
using hlo::ComputationPtr;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoInstruction;
using hlo::Opcode;

bool is_root_tuple(const Computation& c, const Instruction& i) {
  return i.id == c.root_id() && i.opcode == Opcode::kTuple;
}

/// Whether an instruction is a move, or the root's tuple, that only such instructions read.
std::vector<bool> last_moves(const Computation& c) {
  std::vector<bool> last(c.size(), true);
  for (InstructionId id = static_cast<InstructionId>(c.size()); id-- > 0;) {
    const Instruction& i = c.instruction(id);
    last[id] = last[id] && (is_fixed_move(i.opcode) || is_root_tuple(c, i));
    if (last[id]) continue;
    for (InstructionId o : i.operands) last[o] = false;
  }
  return last;
}

/// Copies the last moves; what they move becomes parameters.
class MoveWriter {
 public:
  explicit MoveWriter(const Computation& source) : source_(source), builder_("moves") {}

  StatusOr<ResultMoves> write(const std::vector<bool>& last) {
    ResultMoves parts;
    std::vector<InstructionId> mapped(source_.size(), kNoInstruction);
    for (const Instruction& i : source_.instructions()) {
      if (!last[i.id]) continue;
      for (InstructionId o : i.operands) {
        if (mapped[o] == kNoInstruction) mapped[o] = take(source_.instruction(o));
      }
      HILO_ASSIGN_OR_RETURN(mapped[i.id], builder_.copy(i, mapped));
      parts.moved.push_back(i.id);
    }
    HILO_ASSIGN_OR_RETURN(parts.moves, std::move(builder_).build(mapped[source_.root_id()]));
    HILO_ASSIGN_OR_RETURN(parts.values, values(last));
    return parts;
  }

 private:
  InstructionId take(const Instruction& i) {
    if (i.opcode == Opcode::kConstant) return builder_.constant(hlo::attributes_of<hlo::ConstantAttributes>(i).value);
    taken_.push_back(i.id);
    return builder_.parameter(i.shape);
  }

  StatusOr<ComputationPtr> values(const std::vector<bool>& last) const {
    hlo::Builder builder("values");
    std::vector<InstructionId> mapped(source_.size(), kNoInstruction), results;
    for (InstructionId id : source_.parameters()) mapped[id] = builder.parameter(source_.instruction(id).shape);
    for (const Instruction& i : source_.instructions()) {
      if (last[i.id] || i.opcode == Opcode::kParameter) continue;
      HILO_ASSIGN_OR_RETURN(mapped[i.id], builder.copy(i, mapped));
    }
    for (InstructionId id : taken_) results.push_back(mapped[id]);
    return std::move(builder).build(builder.tuple(results));
  }

  const Computation& source_;
  hlo::Builder builder_;
  std::vector<InstructionId> taken_;  ///< by the parameters of the moves
};

}  // namespace

std::optional<ResultMoves> result_moves(const Computation& computation) {
  const std::vector<bool> last = last_moves(computation);
  const auto is_array = [&](InstructionId id) { return computation.instruction(id).shape.is_array(); };
  const Instruction& root = computation.root();
  if (!last[root.id] || !std::ranges::all_of(root.operands, is_array)) return std::nullopt;
  StatusOr<ResultMoves> parts = MoveWriter(computation).write(last);
  const size_t own = root.opcode == Opcode::kTuple ? 1 : 0;  // the root's tuple alone moves nothing
  if (!parts.ok() || parts->moved.size() <= own) return std::nullopt;
  return std::move(parts).value();
}

}  // namespace hilo::engine
