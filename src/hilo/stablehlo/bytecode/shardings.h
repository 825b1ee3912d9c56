// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/shardings.h -- reads attributes of Shardy in MLIR bytecode.
#pragma once

#include "hilo/stablehlo/bytecode/bytecode_reader.h"

namespace hilo::stablehlo {

/// Returns the text of a Shardy attribute.
std::string read_sdy(BytecodeReader& reader, ByteReader& in);

}  // namespace hilo::stablehlo
