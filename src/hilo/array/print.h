// SPDX-License-Identifier: Apache-2.0
// array/print.h -- prints arrays like NumPy.
#pragma once

#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo {

/// Options for printing, with NumPy's names.
struct PrintOptions {
  int precision = 8;         ///< maximum number of digits after the point
  int64_t threshold = 1000;  ///< larger arrays are abbreviated with "..."
  int64_t edgeitems = 3;     ///< elements printed at each end of an abbreviated axis
  bool suppress = false;     ///< prints no exponents, even for numbers far from 1
};
/// Returns the options of this thread.
PrintOptions& print_options();

/// Returns the text, "[[1. 2.]\n [3. 4.]]", in aligned columns. `separator` is put between elements; `indent` is the
/// number of blanks before each line except the first.
std::string numpy_text(const Literal& literal, const PrintOptions& options = print_options(),
                       std::string_view separator = " ", size_t indent = 0);

}  // namespace hilo
