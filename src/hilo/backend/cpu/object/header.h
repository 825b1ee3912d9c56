// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/header.h -- the C header of an object.
#pragma once

#include "hilo/backend/cpu/object/c_interface.h"
#include "hilo/backend/cpu/object/object_figures.h"

namespace hilo::cpu {

/// Returns the text of the header, for C99 and C++.
std::string object_header(const CInterface& interface, const ObjectFigures& figures);

/// Returns the array as NumPy would describe it: "float64[3,4]".
std::string array_text(const Shape& shape);

}  // namespace hilo::cpu
