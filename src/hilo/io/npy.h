// SPDX-License-Identifier: Apache-2.0
// io/npy.h -- reads and writes NumPy's array files. Pickled objects are rejected, so that no code in a file is ever
// run.
#pragma once

#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo::io {

/// Reads a .npy file of version 1, 2 or 3, in C or Fortran order, of either byte order.
/// Types     bool, int8-64, uint8-64, float16/32/64, complex64/128; bf16, which NumPy writes as void of 2 bytes
/// Errors    INVALID_ARGUMENT for a truncated or inconsistent file; UNIMPLEMENTED for Python objects and element types
///           without a counterpart; those of read_file
/// Cost      memory of twice the file's size. The header is checked against the file before any allocation.
StatusOr<Literal> read_npy(const std::string& path);

/// Like read_npy, for bytes in memory. Messages use `name` as the file name.
StatusOr<Literal> parse_npy(std::string_view bytes, std::string_view name);

/// Writes an array as NumPy does: little-endian, in C order. The file is replaced atomically.
/// Errors    INVALID_ARGUMENT for a tuple; UNIMPLEMENTED for types that NumPy lacks (f8, s4 ...); those of
///           write_file_atomic
Status write_npy(const std::string& path, const Literal& literal);

/// Returns an array as the bytes of a .npy file.
StatusOr<std::string> npy_bytes(const Literal& literal);

}  // namespace hilo::io
