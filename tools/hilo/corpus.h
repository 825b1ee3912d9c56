// SPDX-License-Identifier: Apache-2.0
// tools/hilo/corpus.h -- reads a folder of recorded programs: NAME.mlir, NAME.mlirbc, NAME.in0.npy ..., NAME.out0.npy
// ..., as files or in archives NAME.tar.gz, and manifest.tsv with one line per program.
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
  std::string kind;  ///< kind of comparison: exact, arith, transcendental, reduce, linalg
  std::string test;  ///< name of the test that it was recorded from
  /// largest difference between two ways in which XLA runs it, relative to the largest result
  double alternative_error = 0;
};

/// Reads manifest.tsv in `folder`, and the errors of XLA's alternative in manifest.json if it exists.
/// Errors    those of read_file; INVALID_ARGUMENT for lines with too few columns
StatusOr<std::vector<RecordedProgram>> read_manifest(const std::string& folder);

/// Contents of files by name.
using Files = std::map<std::string, std::string, std::less<>>;

/// Unpacks a gzipped tar archive: its regular files, by name without folder.
/// Errors    those of read_file; INVALID_ARGUMENT for damaged archives
StatusOr<Files> read_archive(const std::string& path);

/// Returns "DIR/x.tar.gz" for each archive in the folder, sorted.
std::vector<std::string> archives_in(const std::string& folder);

}  // namespace hilo::tool
