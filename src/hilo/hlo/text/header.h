// SPDX-License-Identifier: Apache-2.0
// hlo/text/header.h -- the line `HloModule name, key=value, ...` and the tables of source locations after it.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/text/shapes.h"

namespace hilo::hlo::text {

/// Reads the header into `module`: name, aliases, entry layouts, everything else that XLA knows as text.
///   Errors     INVALID_ARGUMENT for what XLA's parser refuses: unknown attributes, and values of another kind
Status read_header(Cursor& cursor, ShapeReader& shapes, Module& module);

/// Appends the header, tables of locations included.
void append_header(const Module& module, bool layouts, std::string& out);

}  // namespace hilo::hlo::text
