// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/sort_key.h"

#include "hilo/engine/region_ops.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {
namespace {

using hlo::attributes_of;
using hlo::InstructionId;
using hlo::Opcode;

struct Side {
  int64_t parameter = -1;
  bool zeros = false, nans = false;
};

/// Follows select(x == 0, 0, x) and select(x != x, nan, x) down to a parameter.
std::optional<Side> side_of(const hlo::Computation& c, InstructionId id) {
  Side side;
  for (int step = 0; step < 8; ++step) {
    const hlo::Instruction& i = c.instruction(id);
    if (i.opcode == Opcode::kParameter) {
      side.parameter = attributes_of<hlo::ParameterAttributes>(i).number;
      return side;
    }
    if (i.opcode != Opcode::kSelect) return std::nullopt;
    const hlo::Instruction& test = c.instruction(i.operands[0]);
    const hlo::Instruction& value = c.instruction(i.operands[1]);
    if (test.opcode != Opcode::kCompare || value.opcode != Opcode::kConstant || !is_floating(i.shape.element_type()))
      return std::nullopt;
    const auto& compare = attributes_of<hlo::CompareAttributes>(test);
    if (compare.type == hlo::ComparisonType::kTotalOrder || test.operands[0] != i.operands[2]) return std::nullopt;
    const hlo::ComparisonDirection direction = compare.direction;
    const double constant = element_as_double(attributes_of<hlo::ConstantAttributes>(value).value, 0);
    if (test.operands[0] == test.operands[1] && direction == hlo::ComparisonDirection::kNe && constant != constant) {
      side.nans = true;
    } else if (direction == hlo::ComparisonDirection::kEq && constant == 0 &&
               c.instruction(test.operands[1]).opcode == Opcode::kConstant &&
               element_as_double(attributes_of<hlo::ConstantAttributes>(c.instruction(test.operands[1])).value, 0) ==
                   0) {
      side.zeros = true;
    } else {
      return std::nullopt;
    }
    id = i.operands[2];
  }
  return std::nullopt;
}

}  // namespace

std::optional<SortKey> sort_key_of(const hlo::Computation& c) {
  const hlo::Instruction& root = c.root();
  if (root.opcode != Opcode::kCompare) return std::nullopt;
  const auto& compare = attributes_of<hlo::CompareAttributes>(root);
  const bool less = compare.direction == hlo::ComparisonDirection::kLt,
             greater = compare.direction == hlo::ComparisonDirection::kGt;
  if (!less && !greater) return std::nullopt;
  const ElementType type = c.instruction(root.operands[0]).shape.element_type();
  // Narrow types differ in where signs and NaN stand: their comparators are run as they are.
  if (element_type_info(type).bits < 8 && type != ElementType::kPred) return std::nullopt;
  if (is_complex(type) || (is_floating(type) && element_type_info(type).bits < 16)) return std::nullopt;
  const std::optional<Side> left = side_of(c, root.operands[0]), right = side_of(c, root.operands[1]);
  if (!left || !right || left->zeros != right->zeros || left->nans != right->nans) return std::nullopt;
  SortKey key;
  key.type = type;
  key.descending = greater;
  if (left->parameter % 2 == 0 && right->parameter == left->parameter + 1) {
    key.operand = static_cast<size_t>(left->parameter / 2);
  } else if (right->parameter % 2 == 0 && left->parameter == right->parameter + 1) {
    key.operand = static_cast<size_t>(right->parameter / 2);
    key.descending = !key.descending;
  } else {
    return std::nullopt;
  }
  // Without total order, zeros compare equal, and NaN isn't before anything.
  const bool total = compare.type == hlo::ComparisonType::kTotalOrder;
  key.equal_zeros = left->zeros || !total;
  key.equal_nans = left->nans || !total;
  key.loose_nans = is_floating(type) && !left->nans && !total;
  return key;
}

}  // namespace hilo::cpu
