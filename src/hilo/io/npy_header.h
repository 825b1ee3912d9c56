// SPDX-License-Identifier: Apache-2.0
// io/npy_header.h -- the text at the head of a .npy file: a Python dictionary of three entries.
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

/// Reads "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }". Entries may come in any order.
/// Errors    INVALID_ARGUMENT for anything else, with the place; UNIMPLEMENTED for structured element types.
StatusOr<NpyHeader> parse_npy_header(std::string_view text);

/// The same text for an array, without padding.
std::string npy_header_text(const NpyHeader& header);

}  // namespace hilo::io
