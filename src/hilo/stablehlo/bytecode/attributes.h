// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/attributes.h -- reads attributes and locations of MLIR bytecode.
#pragma once

#include "hilo/stablehlo/bytecode/bytecode_reader.h"

namespace hilo::stablehlo {

/// Returns the attribute with the next index in `from`. Reads the attribute on its first use. Errors are reported to
/// `from`.
AttributeId attribute_from(BytecodeReader& reader, ByteReader& from);
AttributeId attribute_at(BytecodeReader& reader, ByteReader& from, uint32_t index);
Attribute read_list(BytecodeReader& reader, ByteReader& in);
/// Reads a signed number and adds it to the tree.
AttributeId add_signed(BytecodeReader& reader, ByteReader& in);
LocationId location_from(BytecodeReader& reader, ByteReader& from);
/// Returns the text of the string attribute with the next index in `from`.
std::string_view string_attribute_from(BytecodeReader& reader, ByteReader& from);
std::string_view string_from(BytecodeReader& reader, ByteReader& from);

}  // namespace hilo::stablehlo
