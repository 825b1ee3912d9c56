// SPDX-License-Identifier: Apache-2.0
// io/known_formats.h -- recognizes files of other formats by their first bytes.
#pragma once

#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// Returns the format of the bytes, such as "a Parquet file", or "" if it is unknown.
std::string_view known_format(std::string_view bytes);

/// Returns the error for a file that isn't in the expected format, such as "an .npz file". It is INVALID_ARGUMENT with
/// the detected format, or UNIMPLEMENTED for formats that hilo doesn't read (Parquet, HDF5, pickle).
Status not_this_format(std::string_view wanted, std::string_view bytes);

}  // namespace hilo::io
