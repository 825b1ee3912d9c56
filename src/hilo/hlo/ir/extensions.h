// SPDX-License-Identifier: Apache-2.0
// hlo/ir/extensions.h -- the opcodes of hilo's extension ops: values of Opcode without an enumerator. Only files that
// name one are recompiled when the list grows.
#pragma once

#include "hilo/hlo/ir/opcode.h"

namespace hilo::hlo {

namespace extensions {

enum Position : int {
#define HILO_EXTENSION(enumerator, ...) k##enumerator,
#define HILO_EXTENSION_ELEMENTWISE(enumerator, ...) k##enumerator,
#include "hilo/hlo/ir/extensions.inc"
  kCount,
};

}  // namespace extensions

/// All opcodes: XLA's, then the extension ops.
inline constexpr int kOpcodeCount = kHloOpcodeCount + extensions::kCount;
static_assert(kOpcodeCount <= 256, "Opcode is one byte");

// kExtScan, kExtStopGradient, ...
#define HILO_EXTENSION(enumerator, ...) \
  inline constexpr Opcode kExt##enumerator = static_cast<Opcode>(kHloOpcodeCount + extensions::k##enumerator);
#define HILO_EXTENSION_ELEMENTWISE(enumerator, ...) HILO_EXTENSION(enumerator, _)
#include "hilo/hlo/ir/extensions.inc"

}  // namespace hilo::hlo
