// SPDX-License-Identifier: Apache-2.0
// hlo/text/mesh_groups.h -- replica groups as axes of a mesh of devices: mesh['x'=2,'y'=4] {'y'}.
#pragma once

#include "hilo/hlo/ir/attributes.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::text {

/// Whether such groups stand next.
bool at_mesh_groups(Cursor& cursor);

/// Reads `mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'y','x':(1)2}`: who differs in the named axes only is one group, in the
/// order of these axes. An axis may be named by its number; `:(before)size` is the part of an axis with `before` ways
/// outside of it.
/// Errors    INVALID_ARGUMENT for axes that the mesh hasn't, parts that don't divide them, more than a million devices
Status read_mesh_groups(Cursor& cursor, std::string_view what, Int64Lists& groups);

}  // namespace hilo::hlo::text
