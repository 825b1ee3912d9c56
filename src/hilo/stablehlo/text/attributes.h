// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/attributes.h -- attributes of MLIR text.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

StatusOr<AttributeId> read_attribute(TextReader& reader);
/// -1 : i32, 1.5e-3 : f64, 0x7F800000 : f32. In pretty forms what follows the colon is the operation's type: not `typed`.
StatusOr<AttributeId> read_number(TextReader& reader, bool typed);
/// `{a = 1, b}`, from the brace on, into `attributes`.
Status read_dictionary(TextReader& reader, std::vector<NamedAttribute>& attributes);
/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
StatusOr<AttributeId> read_convolution_dimensions(TextReader& reader);
StatusOr<Integers> read_integer_list(TextReader& reader, std::string_view what);

}  // namespace hilo::stablehlo
