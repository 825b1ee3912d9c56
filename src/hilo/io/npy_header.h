// SPDX-License-Identifier: Apache-2.0
// io/npy_header.h -- the header of a .npy file: a Python dictionary with three entries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::io {

struct NpyHeader {
  std::string descr;  ///< "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }". The order of the entries is arbitrary.
/// Errors    INVALID_ARGUMENT with the position for other text; UNIMPLEMENTED for structured element types
StatusOr<NpyHeader> parse_npy_header(std::string_view text);

/// Returns the header's text without padding.
std::string npy_header_text(const NpyHeader& header);

}  // namespace hilo::io
