// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/locations.h -- reads locations and aliases.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

/// Reads `loc(...)`, if it is present.
StatusOr<LocationId> read_location(TextReader& reader);
/// Finds all definitions `#name = ...` and `!name = ...` at the beginning of a line. Also reserves memory for
/// operations by the number of lines.
Status find_aliases(TextReader& reader, size_t begin, size_t end);

}  // namespace hilo::stablehlo
