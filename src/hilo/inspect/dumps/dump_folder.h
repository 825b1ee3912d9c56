// SPDX-License-Identifier: Apache-2.0
// inspect/dumps/dump_folder.h -- folders that dumps are numbered in: nothing in them is overwritten or followed through
// a link.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo {

/// One of the files that stand side by side under one number.
struct DumpFile {
  std::string_view extension;
  std::string_view content;
};

/// Writes the files as FOLDER/NNNN.MODULE.STAGE.EXTENSION under the next free number and returns the path of the first.
/// Numbers go on from the highest one in the folder; each appears whole or not at all.
/// Errors    FAILED_PRECONDITION if the folder is a link; those of make_directories and write_new_file
/// Cost      the folder is listed again only if something else was written into it
StatusOr<std::string> write_numbered(const std::string& folder, std::string_view module, std::string_view stage,
                                     std::span<const DumpFile> files);

/// The same for one file.
StatusOr<std::string> write_numbered(const std::string& folder, std::string_view module, std::string_view stage,
                                     std::string_view extension, std::string_view content);

/// Writes FOLDER/index.html, a page that leads to every NNNN.MODULE.index.html in the folder. It is the one file that
/// is replaced, and only if hilo wrote it.
Status write_index(const std::string& folder);

}  // namespace hilo
