// SPDX-License-Identifier: Apache-2.0
// hlo/text/header.h -- the line `HloModule name, key=value, ...` and the tables of source locations after it.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/text/shapes.h"

namespace hilo::hlo::text {

/// Reads the header into `module`: name, aliases, entry layouts, and everything else as text.
Status read_header(Cursor& cursor, ShapeReader& shapes, Module& module);

/// Whether `word` begins a table of source locations (FileNames, StackFrames, ...), which is kept as text.
bool is_location_table(std::string_view word);
Status read_location_table(Cursor& cursor, std::string_view word, Module& module);

/// Appends the header, tables of locations included.
void append_header(const Module& module, bool layouts, std::string& out);

}  // namespace hilo::hlo::text
