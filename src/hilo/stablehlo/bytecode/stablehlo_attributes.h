// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/stablehlo_attributes.h -- attributes of StableHLO's own dialect, and CHLO's.
#pragma once

#include "hilo/stablehlo/bytecode/bytecode_reader.h"

namespace hilo::stablehlo {

/// What text gives for an attribute of StableHLO's own dialect, and CHLO's.
Attribute read_stablehlo(BytecodeReader& reader, ByteReader& in);
Attribute read_chlo(ByteReader& in);
/// A value of one of VHLO's enums, and of their namesakes.
Attribute read_word(ByteReader& in, VhloAttribute kind);
Attribute read_output_operand_alias(BytecodeReader& reader, ByteReader& in);
/// The bounds of a tensor's sizes, as integers.
Attribute read_bounds(BytecodeReader& reader, ByteReader& in);

}  // namespace hilo::stablehlo
