// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/write_object.h -- writes a planned program as an object file with a C header.
#pragma once

#include "hilo/backend/cpu/load/codegen_table.h"

namespace hilo::cpu {

/// Writes the object, its header and its manifest. ObjectFiles::test is empty. With several levels, lowest first, the
/// object has code for each of them, and the first call chooses.
/// optimized   the module of the plans, for messages
/// Errors      UNIMPLEMENTED with the first op that needs hilo's library; those of c_interface, why_not_realtime and
///             the code generator
StatusOr<ObjectFiles> write_object(std::span<const LevelPlan> levels, const ProgramSignature& signature,
                                   const hlo::Module& optimized, const ObjectOptions& options);

}  // namespace hilo::cpu
