// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/forms.h -- reads pretty forms of operations.
#pragma once

#include "hilo/stablehlo/text/text_reader.h"

namespace hilo::stablehlo {

/// Returns the clauses of an operation such as "stablehlo.pad", in the order in which MLIR writes them.
std::span<const Clause> clauses_of(std::string_view operation);
Status read_pretty(TextReader& reader, PendingOperation& operation, uint32_t result_count);
KnownOperation facts_of(TextReader& reader, std::string_view name);
/// Reads the end of most pretty forms: `{attributes} : types`.
Status read_functional_tail(TextReader& reader, PendingOperation& operation);

// Forms of Shardy's operations, defined in sdy_forms.cc.

/// Returns the text of a range on one line, without comments.
std::string text_between(const TextReader& reader, size_t begin, size_t end);

Status read_mesh(TextReader& reader, PendingOperation& operation, uint32_t named);
Status read_sharded(TextReader& reader, PendingOperation& operation, uint32_t named);
Status read_manual_computation(TextReader& reader, PendingOperation& operation, uint32_t named);
Status read_named_computation(TextReader& reader, PendingOperation& operation, uint32_t named);

}  // namespace hilo::stablehlo
