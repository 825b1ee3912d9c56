// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/not_yet.h"

#include <fmt/format.h>

#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kRawFields[] = {HILO_RAW_ATTRIBUTE_FIELDS};

StatusOr<Shape> infer_not_yet(const ShapeRuleInput& input) {
  if (!input.declared) return invalid_argument("the result's shape must be stated; this version can't infer it");
  return *input.declared;
}

StatusOr<Literal> reject(const EvaluateInput& input) {
  return unimplemented(fmt::format("{} is not implemented in this version", opcode_name(input.instruction.opcode)));
}

/// Impure ops communicate with the host or with other devices.
OpDef not_yet_def(Opcode opcode, std::string_view name, Traits traits) {
  return {.opcode = opcode,
          .name = name,
          .arity = -1,
          .operand_types = kAnyType,
          .traits = traits,
          .cost = CostClass::kHero,
          .sharding = kUnshared,
          .infer_shape = infer_not_yet,
          .attributes = attributes_def<RawAttributes>(kRawFields),
          .evaluate = reject,
          .spec = {}};
}

}  // namespace

std::span<const AttributeField> raw_fields() { return kRawFields; }

bool has_raw_attributes(Opcode opcode) {
  return opcode == Opcode::kCustomCall || op_def(opcode).attributes.fields.data() == std::data(kRawFields);
}

bool is_not_yet(Opcode opcode) { return op_def(opcode).infer_shape == infer_not_yet; }

HILO_DEFINE_OP(collective_reduce_op, not_yet_def(Opcode::kCollectiveReduce, "collective-reduce", kEffect))
HILO_DEFINE_OP(ragged_all_to_all_op, not_yet_def(Opcode::kRaggedAllToAll, "ragged-all-to-all", kEffect))
HILO_DEFINE_OP(shuffle_op, not_yet_def(Opcode::kShuffle, "shuffle", kNoTraits))

}  // namespace hilo::hlo
