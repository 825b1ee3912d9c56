// SPDX-License-Identifier: Apache-2.0
// tools/hilo/corpus.h -- a folder of recorded programs: NAME.mlir, NAME.mlirbc, NAME.in0.npy ..., NAME.out0.npy ..., in
// archives NAME.tar.gz or as files, and manifest.tsv with one line per program.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::tool {

/// A line of the manifest.
struct RecordedProgram {
  std::string name;
  std::string kind;  ///< how results compare: exact, arith, transcendental, reduce, linalg
  std::string test;  ///< origin of the program
  /// largest difference between two execution modes of XLA, relative to the largest result
  double alternative_error = 0;
};

/// Returns the programs of manifest.tsv in `folder`. Reads errors of XLA's second mode from manifest.json, if it
/// exists.
/// Errors    those of read_file; INVALID_ARGUMENT for lines of too few columns
StatusOr<std::vector<RecordedProgram>> read_manifest(const std::string& folder);

/// Files by name, in memory.
using Files = std::map<std::string, std::string, std::less<>>;

/// Unpacks a gzipped tar archive: its regular files, by their names without folders.
/// Errors    those of read_file; INVALID_ARGUMENT for damaged archives
StatusOr<Files> read_archive(const std::string& path);

/// "DIR/x.tar.gz" for each archive in the folder, in order.
std::vector<std::string> archives_in(const std::string& folder);

}  // namespace hilo::tool
