// SPDX-License-Identifier: Apache-2.0
// hlo/text/header.h -- reads and writes the line `HloModule name, key=value, ...` and the tables of locations.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/text/shapes.h"

namespace hilo::hlo::text {

/// Reads the header into `module`: name, aliases and entry layouts; XLA's other attributes are stored as text.
/// Errors    INVALID_ARGUMENT for what XLA's parser rejects: unknown attributes, and values of another kind
Status read_header(Cursor& cursor, ShapeReader& shapes, Module& module);

/// Appends the header, including tables of locations.
void append_header(const Module& module, bool layouts, std::string& out);

}  // namespace hilo::hlo::text
