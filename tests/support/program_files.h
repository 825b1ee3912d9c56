// SPDX-License-Identifier: Apache-2.0
// tests/support/program_files.h -- writes programs with arguments and results to files, for other engines.
#pragma once

#include <string>

#include "tests/support/random_program.h"

namespace hilo::tests {

/// Writes FOLDER/NAME.hlo, FOLDER/NAME.txt with one line an argument or result, and FOLDER/NAME.bin with their elements
/// one after the other, each as wide as in memory:
///   in TYPE [SIZES]
///   out TYPE [SIZES] exact|TOLERANCE   how far off an element may be
/// Arguments must not be tuples.
Status write_program(const std::string& folder, const std::string& name, const RandomProgram& program);

/// Whether XLA:CPU can run this op on this type, with the same result. Rows have the reasons against it.
bool is_for_xla(const Cell& cell);

}  // namespace hilo::tests
