// SPDX-License-Identifier: Apache-2.0
// array/print.h -- arrays as NumPy prints them.
#pragma once

#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo {

/// How arrays are written, by NumPy's names.
struct PrintOptions {
  int precision = 8;         ///< digits behind the point, at most
  int64_t threshold = 1000;  ///< larger arrays are shortened by "..."
  int64_t edgeitems = 3;     ///< what is kept at each end of a shortened axis
  bool suppress = false;     ///< no exponents, where numbers are far from 1 too
};
/// Those of this thread.
PrintOptions& print_options();

/// "[[1. 2.]\n [3. 4.]]", in aligned columns.
/// separator    between elements
/// indent       blanks before each line but the first
std::string numpy_text(const Literal& literal, const PrintOptions& options = print_options(),
                       std::string_view separator = " ", size_t indent = 0);

}  // namespace hilo
