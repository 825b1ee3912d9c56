// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/attributes.h -- attributes and locations of MLIR bytecode.
#pragma once

#include "hilo/stablehlo/bytecode/bytecode_reader.h"

namespace hilo::stablehlo {

/// The tree's attribute for the index that follows; reads it if that hasn't been done. Failures go to `from`.
AttributeId attribute_from(BytecodeReader& reader, ByteReader& from);
AttributeId attribute_at(BytecodeReader& reader, ByteReader& from, uint32_t index);
/// A list of attributes.
Attribute read_list(BytecodeReader& reader, ByteReader& in);
/// Reads a number with its sign into the tree.
AttributeId add_signed(BytecodeReader& reader, ByteReader& in);
LocationId location_from(BytecodeReader& reader, ByteReader& from);
/// Text of the string attribute that follows.
std::string_view string_attribute_from(BytecodeReader& reader, ByteReader& from);
std::string_view string_from(BytecodeReader& reader, ByteReader& from);

}  // namespace hilo::stablehlo
