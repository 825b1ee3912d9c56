// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/stablehlo_attributes.h -- reads attributes of StableHLO's own dialect and of CHLO.
#pragma once

#include "hilo/stablehlo/bytecode/bytecode_reader.h"

namespace hilo::stablehlo {

/// Reads an attribute of StableHLO's own dialect or of CHLO; equal to the result of the text reader.
Attribute read_stablehlo(BytecodeReader& reader, ByteReader& in);
Attribute read_chlo(ByteReader& in);
/// Reads a value of one of VHLO's enums, or of StableHLO's enum with the same name.
Attribute read_word(ByteReader& in, VhloAttribute kind);
Attribute read_output_operand_alias(BytecodeReader& reader, ByteReader& in);
/// Reads the bounds of a tensor's sizes as integers.
Attribute read_bounds(BytecodeReader& reader, ByteReader& in);

}  // namespace hilo::stablehlo
