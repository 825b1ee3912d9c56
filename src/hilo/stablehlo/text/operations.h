// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/operations.h -- reads operations, their values and regions.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

Status read_operation(TextReader& reader, RegionId region);
/// Returns what is known about an operation by its written name: "stablehlo.add", "module", "return".
const KnownOperation& known_operation(TextReader& reader, std::string_view word);
/// Begins an operation. finish_operation() ends the last one that was begun.
StatusOr<PendingOperation*> begin_operation(TextReader& reader, const KnownOperation& known, size_t position);
/// Reads the rest of a value's name after '%', with an optional `#2`.
StatusOr<ValueId> read_value(TextReader& reader);
Status read_operands(TextReader& reader, PendingOperation& operation, std::string_view close);
/// Reads a region in braces. The arguments of its first block may have been read before.
Status read_region(TextReader& reader, PendingOperation& operation, const Arguments& arguments = {});
/// Reads `%a: type {attributes} loc`, ... in parentheses.
Status read_arguments(TextReader& reader, Arguments& arguments, std::vector<AttributeId>* attributes);
Status finish_operation(TextReader& reader, PendingOperation& operation, RegionId region);
Status read_generic(TextReader& reader, PendingOperation& operation);
/// Returns line and column of `position`. Fast for increasing positions.
std::pair<uint32_t, uint32_t> place_of(TextReader& reader, size_t position);
ValueId add_value(TextReader& reader, TypeId type, OperationId definer);
Status define(TextReader& reader, std::string_view name, ValueId first, uint32_t count, size_t position);

}  // namespace hilo::stablehlo
