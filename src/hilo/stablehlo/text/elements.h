// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/elements.h -- reads elements of dense attributes, and resources.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

/// Reads `dense<...> : type` after the keyword.
StatusOr<AttributeId> read_dense(TextReader& reader);
StatusOr<AttributeId> read_dense_resource(TextReader& reader);
/// Reads `{-# dialect_resources: ... #-}` and sets the elements of the attributes that refer to it.
Status read_resources(TextReader& reader);

}  // namespace hilo::stablehlo
