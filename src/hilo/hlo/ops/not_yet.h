// SPDX-License-Identifier: Apache-2.0
// hlo/ops/not_yet.h -- the generic definition of ops that hilo reads, stores and writes, but can't run yet.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Attributes of such an op, as the program wrote them. HLO text shows `raw` in order, then the called computations:
///     map(x), dimensions={0}, to_apply=%f                raw {"dimensions={0}"}, called_names {"to_apply"}
///     custom-call(x), custom_call_target="t", called_computations={%f, %g}
///                            raw {"custom_call_target=\"t\""}, called_names {"called_computations{}" twice}
/// A name that ends in "{}" is a list in braces; its computations are adjacent, in order. An empty list is raw text.
struct RawAttributes : Attributes {
  std::string spelled;      ///< the opcode as written, if XLA writes another one: call-start for async-start of a call
  StringList raw;           ///< "key=value", value as written
  StringList called_names;  ///< the key of each called computation
  std::vector<ComputationPtr> called;  ///< one for each entry of called_names
};

/// The fields of an op whose attributes are RawAttributes. Structs that derive from it, such as custom-call's, list
/// these fields first.
#define HILO_RAW_ATTRIBUTE_FIELDS                                                     \
  field<&RawAttributes::spelled>("spelled", FieldShow::kUnlessDefault),               \
      field<&RawAttributes::raw>("raw", FieldShow::kUnlessDefault),                   \
      field<&RawAttributes::called_names>("called_names", FieldShow::kUnlessDefault), \
      field<&RawAttributes::called>("called", FieldShow::kUnlessDefault)
std::span<const AttributeField> raw_fields();
/// Returns whether `opcode`'s attributes are RawAttributes or derive from it.
bool has_raw_attributes(Opcode opcode);
/// Returns whether the op has the generic definition.
bool is_not_yet(Opcode opcode);

// The generic definition: any operands, the shape that the program states, UNIMPLEMENTED when run.

}  // namespace hilo::hlo
