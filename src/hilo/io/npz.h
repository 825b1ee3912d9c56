// SPDX-License-Identifier: Apache-2.0
// io/npz.h -- reads and writes NumPy's archives of named arrays.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "hilo/io/zip.h"
#include "hilo/types/literal.h"

namespace hilo::io {

/// Arrays by name, as in numpy.savez: without the suffix ".npy" of the archive's members.
using NamedLiterals = std::map<std::string, Literal>;

/// Reads the arrays of an .npz file, compressed or not.
/// Errors    those of MappedFile::open, zip_members, zip_unpack and parse_npy, with the array's name
/// Cost      the file is mapped; each array is copied once (twice if compressed)
StatusOr<NamedLiterals> read_npz(const std::string& path, const ZipLimits& limits = {});

/// Like read_npz, for bytes in memory. Messages use `name` as the file name.
StatusOr<NamedLiterals> parse_npz(std::string_view bytes, std::string_view name, const ZipLimits& limits = {});

/// Writes named arrays and replaces the file atomically. `compress` works as in numpy.savez_compressed.
/// Errors    those of npy_bytes, zip_bytes and write_file_atomic
Status write_npz(const std::string& path, const NamedLiterals& arrays, bool compress = false);

/// Returns named arrays as the bytes of an .npz file.
StatusOr<std::string> npz_bytes(const NamedLiterals& arrays, bool compress = false);

}  // namespace hilo::io
