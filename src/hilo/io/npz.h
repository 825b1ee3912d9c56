// SPDX-License-Identifier: Apache-2.0
// io/npz.h -- NumPy's archives of arrays by name, to and from literals.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "hilo/io/zip.h"
#include "hilo/types/literal.h"

namespace hilo::io {

/// Arrays by name, as numpy.savez has them: without the ".npy" of their members.
using NamedLiterals = std::map<std::string, Literal>;

/// The arrays of an .npz file, packed or not.
/// Errors    those of MappedFile::open, zip_members, zip_unpack and parse_npy, which name the array
/// Cost      the file is mapped, each array copied once (packed ones twice)
StatusOr<NamedLiterals> read_npz(const std::string& path, const ZipLimits& limits = {});

/// The same from bytes in memory; `name` stands for the file in messages.
StatusOr<NamedLiterals> parse_npz(std::string_view bytes, std::string_view name, const ZipLimits& limits = {});

/// Writes arrays by name, whole or not at all; `compress` as numpy.savez_compressed does.
/// Errors    those of npy_bytes, zip_bytes and write_file_atomic
Status write_npz(const std::string& path, const NamedLiterals& arrays, bool compress = false);

/// The bytes of such a file.
StatusOr<std::string> npz_bytes(const NamedLiterals& arrays, bool compress = false);

}  // namespace hilo::io
