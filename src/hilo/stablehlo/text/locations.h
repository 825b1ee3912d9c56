// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/locations.h -- locations and aliases.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

/// `loc(...)`, if it is there.
StatusOr<LocationId> read_location(TextReader& reader);
/// Remembers where `#name = ...` and `!name = ...` at the beginning of a line stand, wherever in the text; and makes
/// room for as many operations as there are lines.
Status find_aliases(TextReader& reader, size_t begin, size_t end);

}  // namespace hilo::stablehlo
