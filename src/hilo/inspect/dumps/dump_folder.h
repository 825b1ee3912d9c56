// SPDX-License-Identifier: Apache-2.0
// inspect/dumps/dump_folder.h -- folders with numbered dumps: files are never overwritten or written through a link.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo {

/// One of the files that share a number.
struct DumpFile {
  std::string_view extension;
  std::string_view content;
};

/// Writes the files as FOLDER/NNNN.MODULE.STAGE.EXTENSION under the next free number and returns the path of the first.
/// Numbers continue from the highest one in the folder; each file is written completely or not at all.
/// Errors     FAILED_PRECONDITION if the folder is a link; those of make_directories and write_new_file
/// Cost       the folder is listed again only if another writer has changed it
StatusOr<std::string> write_numbered(const std::string& folder, std::string_view module, std::string_view stage,
                                     std::span<const DumpFile> files);

/// Writes a single file.
StatusOr<std::string> write_numbered(const std::string& folder, std::string_view module, std::string_view stage,
                                     std::string_view extension, std::string_view content);

/// Writes FOLDER/index.html, a page with links to every NNNN.MODULE.index.html in the folder. It replaces only an
/// index.html that hilo wrote.
Status write_index(const std::string& folder);

}  // namespace hilo
