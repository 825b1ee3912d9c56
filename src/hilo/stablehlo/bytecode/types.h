// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/types.h -- reads types of MLIR bytecode.
#pragma once

#include "hilo/stablehlo/bytecode/bytecode_reader.h"

namespace hilo::stablehlo {

/// Returns the type with the next index in `from`. Reads the type on its first use. Errors are reported to `from`.
TypeId type_from(BytecodeReader& reader, ByteReader& from);
TypeId type_at(BytecodeReader& reader, ByteReader& from, uint32_t index);

Type element_type_entry(ElementType element, std::string spelled);
int bits_of(const Type& type);

}  // namespace hilo::stablehlo
