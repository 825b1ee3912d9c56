// SPDX-License-Identifier: Apache-2.0
// hlo/ops/op_table.cc -- the table from opcodes to their definitions, expanded from the three op lists.
#include <array>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::hlo {

#define HILO_STRUCTURAL(enumerator, name, definition) const OpDef& definition();
#include "hilo/hlo/ir/structural.inc"
#undef HILO_STRUCTURAL
#define HILO_EXTENSION(enumerator, name) const OpDef& ext_##name##_op();
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) const OpDef& ext_##name##_op();
#include "hilo/hlo/ir/extensions.inc"

const OpDef& op_def(Opcode opcode) {
  static const std::array<const OpDef*, kOpcodeCount> table = {
#define HILO_ELEMENTWISE(enumerator, ...) &elementwise_op(Opcode::k##enumerator),
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
#define HILO_STRUCTURAL(enumerator, name, definition) &definition(),
#include "hilo/hlo/ir/structural.inc"
#undef HILO_STRUCTURAL
#define HILO_EXTENSION(enumerator, name) &ext_##name##_op(),
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) &ext_##name##_op(),
#include "hilo/hlo/ir/extensions.inc"
  };
  return *table[ordinal(opcode)];
}

}  // namespace hilo::hlo
