// SPDX-License-Identifier: Apache-2.0
// hlo/text/location_tables.h -- XLA's tables of source locations, which stand between a module's header and its first
// computation. A module keeps them as text.
#pragma once

#include <span>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::text {

/// Rows are `1 "name"` or `1 {file_name_id=1 line=3}`, numbered from 1.
struct LocationTable {
  std::string_view word;
  std::span<const std::string_view> keys;  ///< of rows in braces, in the order in which XLA writes them
};

/// FileNames, FunctionNames, FileLocations, StackFrames: the order in which they stand in text.
std::span<const LocationTable> location_tables();
bool is_location_table(std::string_view word);

/// HLO text counts it from one more than HloModuleProto: 1 is no parent, 2 the first frame.
inline constexpr std::string_view kParentFrame = "parent_frame_id";

/// Reads the tables that stand here into `module`; any may be missing.
///   Errors     INVALID_ARGUMENT for unknown keys, rows out of order, rows that name what isn't there, frames that are
///              among their own parents
Status read_location_tables(Cursor& cursor, Module& module);

}  // namespace hilo::hlo::text
