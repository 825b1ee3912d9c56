// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/elements.h -- elements of dense attributes, and resources.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

/// `dense<...> : type`, after the word.
StatusOr<AttributeId> read_dense(TextReader& reader);
StatusOr<AttributeId> read_dense_resource(TextReader& reader);
/// Puts the bytes of `{-# dialect_resources: ... #-}` into the attributes that wait for them.
Status read_resources(TextReader& reader);

}  // namespace hilo::stablehlo
