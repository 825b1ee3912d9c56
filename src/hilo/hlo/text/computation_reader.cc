// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/computation_reader.h"

#include <fmt/format.h>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/text/instruction_reader.h"

namespace hilo::hlo::text {
namespace {

/// `(a: f32[], b: s32[2]) -> f32[]` between a computation's name and its body.
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

/// Attributes of a computation after its closing brace: only execution_thread="main" means nothing.
Status read_computation_attributes(Cursor& cursor) {
  while (cursor.accept(',')) {
    const size_t position = cursor.position();
    const std::string_view key = cursor.identifier();
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after an attribute of a computation"));
    HILO_ASSIGN_OR_RETURN(const std::string_view value, cursor.raw_value(key));
    if (key != "execution_thread" || value != "\"main\"") {
      return cursor.error(StatusCode::kUnimplemented, position,
                          fmt::format("attribute {}={} of a computation is not known", key, value));
    }
  }
  return ok_status();
}

Status check_signature(const ParsedComputation& parsed, const Computation& c, const Cursor& cursor) {
  const auto where = [&] { return fmt::format("computation '{}'", c.name()); };
  if (parsed.stated_parameters) {
    const std::vector<Shape>& stated = *parsed.stated_parameters;
    if (static_cast<int64_t>(stated.size()) != c.parameter_count()) {
      return cursor.error(parsed.position, fmt::format("{}: its head lists {} parameters, its body has {}", where(),
                                                       stated.size(), c.parameter_count()));
    }
    for (size_t i = 0; i < stated.size(); ++i) {
      const Shape& actual = c.parameter(static_cast<int64_t>(i)).shape;
      if (stated[i].compatible(actual)) continue;
      return cursor.error(parsed.position, fmt::format("{}: its head says parameter {} is {}, its body {}", where(), i,
                                                       stated[i].to_string(), actual.to_string()));
    }
  }
  if (parsed.stated_result && !parsed.stated_result->compatible(c.result_shape())) {
    return cursor.error(parsed.position, fmt::format("{}: its head says the result is {}, its root is {}", where(),
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
  HILO_RETURN_IF_ERROR(cursor.expect('{', fmt::format("before the body of computation '{}'", name)));
  HILO_RETURN_IF_ERROR(read_instructions(cursor, shared, c));
  HILO_RETURN_IF_ERROR(cursor.expect('}', fmt::format("after the body of computation '{}'", name)));
  if (c.draft.size() == 0) return cursor.error(position, fmt::format("computation '{}' has no instructions", name));
  if (c.root == kNoInstruction) c.root = c.draft.size() - 1;
  HILO_RETURN_IF_ERROR(read_computation_attributes(cursor));
  return c;
}

StatusOr<ComputationPtr> finish_computation(ParsedComputation&& parsed, std::span<const ComputationPtr> callees,
                                            const Cursor& cursor) {
  for (size_t i = 0; i < callees.size(); ++i) fill(parsed.calls[i], callees[i]);
  std::vector<Shape> operands;
  for (InstructionId id = 0; id < parsed.draft.size(); ++id) {
    Instruction& instruction = parsed.draft.mutable_instruction(id);
    operands.clear();
    for (InstructionId operand : instruction.operands) operands.push_back(parsed.draft.instruction(operand).shape);
    const std::optional<Shape> declared =
        parsed.places[id].shape_stated ? std::optional<Shape>(instruction.shape) : std::nullopt;
    StatusOr<Shape> shape = check_instruction(instruction.def(), operands, instruction.attributes.get(), declared);
    if (!shape.ok()) {
      return shape.status().with_context(fmt::format("{} '{}' ({})", opcode_name(instruction.opcode), instruction.name,
                                                     cursor.place(parsed.places[id].position)));
    }
    instruction.shape = *shape;
    instruction.origin = parsed.first_origin + id;
  }
  StatusOr<ComputationPtr> computation = std::move(parsed.draft).finish(parsed.root);
  if (!computation.ok()) return computation.status().with_context(cursor.place(parsed.position));
  HILO_RETURN_IF_ERROR(check_signature(parsed, **computation, cursor));
  return computation;
}

}  // namespace hilo::hlo::text
