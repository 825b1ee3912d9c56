// SPDX-License-Identifier: Apache-2.0
// io/npy.h -- NumPy's array files, to and from literals. Nothing in a file is ever run: no pickle.
#pragma once

#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo::io {

/// The array in a .npy file of version 1, 2 or 3, in C or Fortran order, of either byte order.
/// Types     bool, int8-64, uint8-64, float16/32/64, complex64/128; bf16 as NumPy writes it: as void of 2 bytes
/// Errors    INVALID_ARGUMENT for a file that is not whole or says two things; UNIMPLEMENTED for Python objects and
///           element types without a counterpart; those of read_file.
/// Cost      the file's size twice: what a header claims is never allocated before it is checked against the file.
StatusOr<Literal> read_npy(const std::string& path);

/// The same from bytes in memory; `name` stands for the file in messages.
StatusOr<Literal> parse_npy(std::string_view bytes, std::string_view name);

/// Writes an array as NumPy would: little-endian, C order; whole or not at all.
/// Errors    INVALID_ARGUMENT for a tuple; UNIMPLEMENTED for types that NumPy lacks (f8, s4 ...); those of
///           write_file_atomic.
Status write_npy(const std::string& path, const Literal& literal);

/// The bytes of such a file.
StatusOr<std::string> npy_bytes(const Literal& literal);

}  // namespace hilo::io
