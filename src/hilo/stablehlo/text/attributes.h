// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/attributes.h -- reads attributes of MLIR text.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

StatusOr<AttributeId> read_attribute(TextReader& reader);
/// Reads -1 : i32, 1.5e-3 : f64, 0x7F800000 : f32. In pretty forms the type after the colon belongs to the operation;
/// then `typed` is false.
StatusOr<AttributeId> read_number(TextReader& reader, bool typed);
/// Reads a dictionary `{a = 1, b}` into `attributes`, beginning at the brace.
Status read_dictionary(TextReader& reader, std::vector<NamedAttribute>& attributes);
/// Reads `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
StatusOr<AttributeId> read_convolution_dimensions(TextReader& reader);
StatusOr<Integers> read_integer_list(TextReader& reader, std::string_view what);

}  // namespace hilo::stablehlo
