// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/rewrite/rewrite_where.h"

namespace hilo::hlo {
namespace {

/// Returns the integer type of the same width and the other signedness.
ElementType of_other_sign(ElementType type) {
  const ElementTypeInfo& own = element_type_info(type);
  for (const ElementTypeInfo& info : kElementTypes) {
    if (is_integer(info.type) && info.bits == own.bits && info.element_class != own.element_class) return info.type;
  }
  return type;
}

StatusOr<ComputationPtr> normalize_in(const ComputationPtr& source) {
  const auto operand_type = [&](const Instruction& i) {
    return source->instruction(i.operands[0]).shape.element_type();
  };
  const auto says_more = [&](const Instruction& i) {
    if (i.opcode != Opcode::kCompare) return false;
    const ComparisonType type = attributes_of<CompareAttributes>(i).type;
    return type != ComparisonType::kDefault && !(type == ComparisonType::kTotalOrder && is_floating(operand_type(i)));
  };
  const auto plain = [&](RewriteBuilder& b, const Instruction& i) -> StatusOr<InstructionId> {
    auto attributes = std::make_shared<CompareAttributes>(attributes_of<CompareAttributes>(i));
    std::vector<InstructionId> operands = b.mapped(i.operands);
    const ElementType type = operand_type(i);
    if (is_of_other_sign(*attributes, type)) {
      for (InstructionId& x : operands)
        x = b.add(Opcode::kBitcastConvert, {x}, nullptr, b.shape(x).with_element_type(of_other_sign(type)));
    }
    attributes->type = ComparisonType::kDefault;
    return b.add(Opcode::kCompare, operands, std::move(attributes));
  };
  return rewrite_where(source, {.share = false}, says_more, plain);
}

}  // namespace

StatusOr<bool> normalize_compares(Module& module) { return rewrite_computations(module, normalize_in); }

}  // namespace hilo::hlo
