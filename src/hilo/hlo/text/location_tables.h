// SPDX-License-Identifier: Apache-2.0
// hlo/text/location_tables.h -- reads and writes XLA's tables of source locations, between a module's header and its
// first computation. A module stores them as text.
#pragma once

#include <span>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::text {

/// Rows are `1 "name"` or `1 {file_name_id=1 line=3}`, numbered from 1.
struct LocationTable {
  std::string_view word;
  std::span<const std::string_view> keys;  ///< keys of rows in braces, in XLA's order
};

/// Returns FileNames, FunctionNames, FileLocations and StackFrames, in the order of the text.
std::span<const LocationTable> location_tables();
bool is_location_table(std::string_view word);

/// HLO text adds 1 to HloModuleProto's number: 1 is no parent, 2 the first frame.
inline constexpr std::string_view kParentFrame = "parent_frame_id";

/// Reads the next tables into `module`; any may be missing.
/// Errors    INVALID_ARGUMENT for unknown keys, rows out of order, references to missing rows, cyclic parents of frames
Status read_location_tables(Cursor& cursor, Module& module);

}  // namespace hilo::hlo::text
