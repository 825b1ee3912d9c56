// SPDX-License-Identifier: Apache-2.0
// hlo/text/mesh_groups.h -- reads replica groups written as axes of a device mesh: mesh['x'=2,'y'=4] {'y'}.
#pragma once

#include "hilo/hlo/ir/attributes.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::text {

/// Returns whether such groups come next.
bool at_mesh_groups(Cursor& cursor);

/// Reads `mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'y','x':(1)2}`: devices that differ only in the listed axes form
/// a group, in the order of these axes. An axis may be referred to by its number. `:(before)size` is a part of an axis
/// (AxisPart).
/// Errors    INVALID_ARGUMENT for axes that the mesh lacks, parts that don't divide them, more than a million devices
Status read_mesh_groups(Cursor& cursor, std::string_view what, Int64Lists& groups);

}  // namespace hilo::hlo::text
