// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/known_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/proto/annotations.h"
#include "hilo/hlo/proto/places.h"

namespace hilo::hlo::proto {
namespace {

constexpr uint32_t kCommon[] = {kName, kOpcode, kResultShape, kId, kOperands, kPredecessors, kCalledIds};
// Fields of other forms than those in the table of places.
constexpr uint32_t kOtherForms[] = {49, 56, 92};
constexpr uint32_t kGroupForms[] = {kReplicaGroups, kIotaGroups, kMeshGroups};
constexpr uint32_t kInferredDimension = 14, kConvolutionKind = 97;

FieldSet known_fields_of(Opcode opcode) {
  FieldSet known;
  for (uint32_t number : kCommon) known.set(number);
  for (uint32_t number : annotation_fields()) known.set(number);
  const bool raw = has_raw_attributes(opcode);
  for (uint32_t number : kOtherForms) known.set(number, raw || known[number]);
  const std::span<const AttributeField> fields = op_def(opcode).attributes.fields;
  for (const Place& place : places()) {
    const bool own = raw || std::ranges::any_of(fields, [&](const AttributeField& f) { return f.name == place.key; });
    if (own) known.set(place.outer == 0 ? place.number : outermost_of(place.outer));
    if (own && place.form == Form::kGroups) {
      for (uint32_t number : kGroupForms) known.set(number);
    }
  }
  if (opcode == Opcode::kCompare) known.set(kComparisonOrder);
  // Fields without an effect in hilo.
  if (opcode == Opcode::kTopK) known.set(kIsStable);
  if (opcode == Opcode::kReshape) known.set(kInferredDimension);
  if (opcode == Opcode::kConvolution) known.set(kConvolutionKind);
  return known;
}

/// Returns the fields of HloInstructionProto that are read for `opcode`. Computed once for all ops.
const FieldSet& known_fields(Opcode opcode) {
  static const auto* const table = [] {
    auto* const all = new std::array<FieldSet, kHloOpcodeCount>;
    for (size_t i = 0; i < all->size(); ++i) (*all)[i] = known_fields_of(static_cast<Opcode>(i));
    return all;
  }();
  return (*table)[ordinal(opcode)];
}

}  // namespace

Status check_all_known(const WireMessage& message, Opcode opcode) {
  const FieldSet unknown = message.present() & ~known_fields(opcode);
  if (unknown.none()) return ok_status();
  for (const WireField& field : message.fields()) {
    const bool says = field.type == WireType::kBytes ? !field.bytes.empty() : field.value != 0;
    if (says && unknown[place_in_set(field.number)])
      return unimplemented(fmt::format("HloInstructionProto: field {} of {} is not known to this version", field.number,
                                       opcode_name(opcode)));
  }
  return ok_status();
}

}  // namespace hilo::hlo::proto
