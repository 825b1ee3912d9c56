// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/computation_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/text/bounded.h"
#include "hilo/hlo/text/instruction_reader.h"
#include "hilo/hlo/text/xla_forms.h"

namespace hilo::hlo::text {
namespace {

/// Reads `(a: f32[], b: s32[2]) -> f32[]` between a computation's name and its body.
Status read_signature(Cursor& cursor, SharedState& shared, ParsedComputation& c) {
  cursor.accept('(');
  c.stated_parameters.emplace();
  if (!cursor.accept(')')) {
    do {
      HILO_RETURN_IF_ERROR(cursor.name("the name of a parameter").status());
      HILO_RETURN_IF_ERROR(cursor.expect(':', "after the name of a parameter"));
      HILO_ASSIGN_OR_RETURN(const Shape shape, shared.shapes.read(cursor));
      c.stated_parameters->push_back(shape);
    } while (cursor.accept(','));
    HILO_RETURN_IF_ERROR(cursor.expect(')', "after the parameters"));
  }
  HILO_RETURN_IF_ERROR(cursor.expect('-', "before the result's shape (\"->\")"));
  HILO_RETURN_IF_ERROR(cursor.expect('>', "before the result's shape (\"->\")"));
  HILO_ASSIGN_OR_RETURN(c.stated_result, shared.shapes.read(cursor));
  return ok_status();
}

/// Reads a computation's attributes after its closing brace. Its thread has no effect.
Status read_computation_attributes(Cursor& cursor) {
  bool seen = false;
  while (cursor.accept(',')) {
    const size_t position = cursor.position();
    const std::string_view key = cursor.identifier();
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after an attribute of a computation"));
    if (key != "execution_thread") {
      return cursor.error(StatusCode::kUnimplemented, position,
                          fmt::format("a computation has no attribute {}. Hint: execution_thread", quote(key)));
    }
    if (std::exchange(seen, true)) return cursor.error(position, "attribute 'execution_thread' appears twice");
    HILO_RETURN_IF_ERROR(cursor.quoted(key).status());
  }
  return ok_status();
}

/// Reads `{ instructions }`.
Status read_body(Cursor& cursor, SharedState& shared, ParsedComputation& c) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', fmt::format("before the body of computation '{}'", c.name)));
  HILO_RETURN_IF_ERROR(read_instructions(cursor, shared, c));
  HILO_RETURN_IF_ERROR(cursor.expect('}', fmt::format("after the body of computation '{}'", c.name)));
  if (c.draft.size() == 0) return cursor.error(c.position, fmt::format("computation '{}' has no instructions", c.name));
  if (c.root == kNoInstruction) c.root = c.draft.size() - 1;
  return ok_status();
}

Status check_signature(const ParsedComputation& parsed, const Computation& c, const Cursor& cursor) {
  const auto where = [&] { return fmt::format("computation '{}'", c.name()); };
  if (parsed.stated_parameters) {
    const std::vector<Shape>& stated = *parsed.stated_parameters;
    if (std::ssize(stated) != c.parameter_count()) {
      return cursor.error(parsed.position, fmt::format("{}: its header lists {} parameters, its body has {}", where(),
                                                       stated.size(), c.parameter_count()));
    }
    for (size_t i = 0; i < stated.size(); ++i) {
      const Shape& actual = c.parameter(i).shape;
      if (stated[i].compatible(actual)) continue;
      return cursor.error(parsed.position, fmt::format("{}: its header declares parameter {} as {}, its body as {}",
                                                       where(), i, stated[i].to_string(), actual.to_string()));
    }
  }
  if (parsed.stated_result && !parsed.stated_result->compatible(c.result_shape())) {
    return cursor.error(parsed.position,
                        fmt::format("{}: its header declares the result as {}, its root is {}", where(),
                                    parsed.stated_result->to_string(), c.result_shape().to_string()));
  }
  return ok_status();
}

}  // namespace

StatusOr<ParsedComputation> read_computation(Cursor& cursor, SharedState& shared) {
  const size_t position = cursor.position();
  HILO_ASSIGN_OR_RETURN(const std::string_view name, cursor.name("the name of a computation"));
  ParsedComputation c(name);
  c.position = position;
  if (cursor.peek() == '(') HILO_RETURN_IF_ERROR(read_signature(cursor, shared, c));
  HILO_RETURN_IF_ERROR(read_body(cursor, shared, c));
  HILO_RETURN_IF_ERROR(read_computation_attributes(cursor));
  return c;
}

Status NestedScope::check(Cursor& cursor) const {
  const int most = std::min(cursor.max_nesting(), kDefaultMaxNesting);  // limits the use of the stack
  if (shared_.depth <= most) return ok_status();
  return cursor.error(cursor.position(), fmt::format("instructions and computations nested deeper than {}", most));
}

StatusOr<size_t> read_inlined(Cursor& cursor, SharedState& shared) {
  const NestedScope scope(shared);
  HILO_RETURN_IF_ERROR(scope.check(cursor));
  ParsedComputation c("inlined");
  c.position = cursor.position();
  HILO_RETURN_IF_ERROR(read_body(cursor, shared, c));
  shared.inlined.push_back(std::move(c));
  return shared.inlined.size() - 1;
}

StatusOr<ParsedComputation> read_lone_instruction(Cursor& cursor, SharedState& shared) {
  ParsedComputation c("main");
  c.position = cursor.position();
  HILO_RETURN_IF_ERROR(read_instruction_alone(cursor, shared, c));
  c.root = c.draft.size() - 1;
  return c;
}

namespace {

/// Rewrites a computation from XLA's forms to hilo's ops, instruction by instruction.
class Finisher {
 public:
  Finisher(ParsedComputation& parsed, const Cursor& cursor) : parsed_(parsed), cursor_(cursor) {}

  Status run() {
    for (InstructionId id = 0; id < parsed_.draft.size(); ++id) {
      if (const Status status = finish(id); !status.ok()) {
        const Instruction& i = parsed_.draft.instruction(id);
        return status.with_context(
            fmt::format("{} '{}' ({})", opcode_name(i.opcode), i.name, cursor_.place(parsed_.places[id].position)));
      }
    }
    if (!other_) return ok_status();
    HILO_ASSIGN_OR_RETURN(parsed_.root, bounded_.zero_beyond(own_[parsed_.root], *other_));
    parsed_.draft = std::move(*other_);
    return ok_status();
  }

 private:
  Status finish(InstructionId id) {
    Instruction& i = parsed_.draft.mutable_instruction(id);
    i.origin = parsed_.first_origin + id;
    operands_.clear();
    for (InstructionId operand : i.operands) operands_.push_back(shape_of(operand));
    const std::optional<Shape> declared =
        parsed_.places[id].shape_stated ? std::optional<Shape>(i.shape) : std::nullopt;
    const StatedInstruction stated{i.opcode, declared, operands_, i.attributes.get(), parsed_.places[id].bounded};
    const bool bounded = stated.bounded || (!bounded_.empty() && bounded_.concerns(stated, own_operands(i)));
    if (bounded || has_xla_form(stated)) return replace(id, stated, bounded);
    HILO_ASSIGN_OR_RETURN(i.shape, check_instruction(i.def(), operands_, i.attributes.get(), declared));
    if (other_) own_.push_back(other_->append_copy(i, own_operands(i)));
    return ok_status();
  }

  /// Replaces an instruction by several. The first replacement starts a new draft for all later instructions.
  Status replace(InstructionId id, const StatedInstruction& stated, bool bounded) {
    if (!other_) {
      other_.emplace(parsed_.draft.name());
      for (const Instruction& before : parsed_.draft.instructions().first(id))
        own_.push_back(other_->append_copy(before, own_operands(before)));
    }
    Instruction& i = parsed_.draft.mutable_instruction(id);
    const InstructionId first = other_->size();
    HILO_ASSIGN_OR_RETURN(const InstructionId value, bounded ? bounded_.append(stated, own_operands(i), *other_)
                                                             : append_xla_form(stated, own_operands(i), *other_));
    for (InstructionId added = first; added < other_->size(); ++added)
      other_->mutable_instruction(added).origin = i.origin;
    Instruction& last = other_->mutable_instruction(value);
    if (value >= first) {
      last.name = i.name;
      last.annotations = i.annotations;
    }
    own_.push_back(value);
    return ok_status();
  }

  Shape shape_of(InstructionId id) const {
    return other_ ? other_->instruction(own_[id]).shape : parsed_.draft.instruction(id).shape;
  }

  std::span<const InstructionId> own_operands(const Instruction& i) {
    mapped_.clear();
    for (InstructionId operand : i.operands) mapped_.push_back(own_[operand]);
    return mapped_;
  }

  ParsedComputation& parsed_;
  const Cursor& cursor_;
  std::optional<ComputationDraft> other_;  // empty until the first replacement
  std::vector<InstructionId> own_;         // by instruction: its id in the new draft
  std::vector<InstructionId> mapped_;
  std::vector<Shape> operands_;
  BoundedSizes bounded_;
};

}  // namespace

StatusOr<ComputationPtr> finish_computation(ParsedComputation&& parsed, std::span<const ComputationPtr> callees,
                                            const Cursor& cursor) {
  for (size_t i = 0; i < callees.size(); ++i) fill(parsed.calls[i], callees[i]);
  HILO_RETURN_IF_ERROR(Finisher(parsed, cursor).run());
  StatusOr<ComputationPtr> computation = std::move(parsed.draft).finish(parsed.root);
  if (!computation.ok()) return computation.status().with_context(cursor.place(parsed.position));
  HILO_RETURN_IF_ERROR(check_signature(parsed, **computation, cursor));
  return computation;
}

}  // namespace hilo::hlo::text
