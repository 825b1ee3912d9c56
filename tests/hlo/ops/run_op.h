// SPDX-License-Identifier: Apache-2.0
// tests/hlo/ops/run_op.h -- builds one instruction from its operands and runs it with the reference evaluator.
#pragma once

#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/eval/evaluator.h"

namespace hilo::hlo {

inline StatusOr<Shape> shape_of(Opcode opcode, const std::vector<Shape>& operands, AttributesPtr attributes,
                                const std::optional<Shape>& declared = std::nullopt) {
  return check_instruction(op_def(opcode), operands, attributes.get(), declared);
}

/// A computation of one op, with a parameter for each operand.
inline StatusOr<ComputationPtr> computation_of(Opcode opcode, const std::vector<Shape>& operands,
                                               AttributesPtr attributes,
                                               const std::optional<Shape>& declared = std::nullopt) {
  Builder builder("main");
  std::vector<InstructionId> parameters;
  for (const Shape& shape : operands) parameters.push_back(builder.parameter(shape));
  HILO_ASSIGN_OR_RETURN(const InstructionId root,
                        builder.add(opcode, parameters, std::move(attributes), declared, "op"));
  return std::move(builder).build(root);
}

inline StatusOr<Literal> run_op(Opcode opcode, const std::vector<Literal>& operands, AttributesPtr attributes,
                                const std::optional<Shape>& declared = std::nullopt) {
  std::vector<Shape> shapes;
  for (const Literal& operand : operands) shapes.push_back(operand.shape());
  HILO_ASSIGN_OR_RETURN(const ComputationPtr computation,
                        computation_of(opcode, shapes, std::move(attributes), declared));
  return evaluate(*computation, std::span<const Literal>(operands));
}

inline std::string text_of(const StatusOr<Literal>& result) {
  return result.ok() ? result->to_string() : result.status().to_string();
}

/// The error's code and text, or "OK".
template <typename T>
std::string error_of(const StatusOr<T>& result) {
  return result.ok() ? "OK" : result.status().to_string();
}

/// The scalar body op(p0, p1). Fails the test if it is invalid.
inline ComputationPtr body_of(Opcode opcode, ElementType type) {
  StatusOr<ComputationPtr> body = scalar_binary_computation(opcode, type);
  EXPECT_TRUE(body.ok()) << body.status().to_string();
  return body.ok() ? *body : nullptr;
}

/// The names of an op's attributes in HLO text.
inline std::vector<std::string_view> field_names(Opcode opcode) {
  std::vector<std::string_view> names;
  for (const AttributeField& f : op_def(opcode).attributes.fields) names.push_back(f.name);
  return names;
}

}  // namespace hilo::hlo
