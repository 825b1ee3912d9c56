// SPDX-License-Identifier: Apache-2.0
// trace/annotations.h -- what staged instructions say of the user's program.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo {

/// For an instruction of the line in force; null where none is known.
hlo::AnnotationsPtr annotations_here();

}  // namespace hilo
