// SPDX-License-Identifier: Apache-2.0
// io/known_formats.h -- files of another kind than the reader expects, by their first bytes.
#pragma once

#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// "a Parquet file" and the like for bytes that begin so; "" for all others.
std::string_view known_format(std::string_view bytes);

/// The error of a file that isn't what its reader wants, "an .npz file" for example: INVALID_ARGUMENT that says what it
/// is instead, UNIMPLEMENTED for a format that hilo doesn't read at all (Parquet, HDF5, pickle).
Status not_this_format(std::string_view wanted, std::string_view bytes);

}  // namespace hilo::io
