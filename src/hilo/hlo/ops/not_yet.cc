// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/not_yet.h"

#include <fmt/format.h>

#include <array>

namespace hilo::hlo {
namespace {

constexpr AttributeField kRawFields[] = {HILO_RAW_ATTRIBUTE_FIELDS};

StatusOr<Shape> infer_not_yet(const ShapeRuleInput& input) {
  if (!input.declared) return invalid_argument("the result's shape must be stated; this version can't infer it");
  return *input.declared;
}

StatusOr<Literal> refuse(const EvaluateInput& input) {
  return unimplemented(fmt::format("{} is not implemented in this version", opcode_name(input.instruction.opcode)));
}

/// Pure ops may be merged and dropped; all others talk to the world outside or to other devices.
Traits traits_of(Opcode opcode) {
  constexpr Opcode kPure[] = {
      Opcode::kShuffle,
  };
  for (Opcode pure : kPure) {
    if (pure == opcode) return kNoTraits;
  }
  return kEffect;
}

}  // namespace

std::span<const AttributeField> raw_fields() { return kRawFields; }

bool has_raw_attributes(Opcode opcode) {
  return opcode == Opcode::kCustomCall || op_def(opcode).fields.data() == std::data(kRawFields);
}

bool is_not_yet(Opcode opcode) { return op_def(opcode).infer_shape == infer_not_yet; }

const OpDef& not_yet_op(Opcode opcode, std::string_view name) {
  // Filled by the op table, which is built once; op_def() hands the rows out after that.
  static std::array<OpDef, kHloOpcodeCount> definitions{};
  OpDef& definition = definitions[static_cast<size_t>(opcode)];
  definition = {.opcode = opcode,
                .name = name,
                .arity = -1,
                .operand_types = kAnyType,
                .traits = traits_of(opcode),
                .cost = CostClass::kHero,
                .infer_shape = infer_not_yet,
                .fields = kRawFields,
                .make_attributes = make_attributes_of<RawAttributes>,
                .copy_attributes = copy_attributes_of<RawAttributes>,
                .evaluate = refuse,
                .decompose = nullptr,
                .spec = {}};
  return definition;
}

}  // namespace hilo::hlo
