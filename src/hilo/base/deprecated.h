// SPDX-License-Identifier: Apache-2.0
// base/deprecated.h -- the mark of public names that another name replaces.
#pragma once

/// Marks a function, type or member: each use gives a warning with the new spelling. The old name stays until the next
/// minor version (docs/stability.md).
/// Example   HILO_DEPRECATED("numpy::concatenate") Array concat(const std::vector<Array>& arrays);
#define HILO_DEPRECATED(new_spelling) [[deprecated("use " new_spelling)]]
