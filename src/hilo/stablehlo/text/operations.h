// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/operations.h -- operations, their values and regions.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

Status read_operation(TextReader& reader, RegionId region);
/// By the name as it is written: "stablehlo.add", "module", "return".
const KnownOperation& known_operation(TextReader& reader, std::string_view word);
/// Begins an operation; finish_operation ends the one that was begun last.
StatusOr<PendingOperation*> begin_operation(TextReader& reader, const KnownOperation& known, size_t position);
/// `name` after '%', with `#2`.
StatusOr<ValueId> read_value(TextReader& reader);
Status read_operands(TextReader& reader, PendingOperation& operation, std::string_view close);
/// A region in braces; its first block's arguments may have been read before.
Status read_region(TextReader& reader, PendingOperation& operation, const Arguments& arguments = {});
/// `%a: type {attributes} loc`, in round brackets.
Status read_arguments(TextReader& reader, Arguments& arguments, std::vector<AttributeId>* attributes);
Status finish_operation(TextReader& reader, PendingOperation& operation, RegionId region);
Status read_generic(TextReader& reader, PendingOperation& operation);
/// Line and column of `position`. Cheap where positions grow.
std::pair<uint32_t, uint32_t> place_of(TextReader& reader, size_t position);
ValueId add_value(TextReader& reader, TypeId type, OperationId definer);
Status define(TextReader& reader, std::string_view name, ValueId first, uint32_t count, size_t position);

}  // namespace hilo::stablehlo
