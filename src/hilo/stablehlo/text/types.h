// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/types.h -- reads types of MLIR text.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

StatusOr<TypeId> read_type(TextReader& reader);
/// Reads `T, T` or `(T, T)`.
Status read_types(TextReader& reader, std::vector<TypeId>& types);
/// Reads `(T, T) -> T` or `(T, T) -> (T, T)`, beginning at the parenthesis.
StatusOr<TypeId> read_function_type(TextReader& reader);
TypeId add_type(TextReader& reader, Type type);
bool at_type(TextReader& reader);

}  // namespace hilo::stablehlo
