// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/elements.h -- elements of dense attributes: from MLIR's bytes, or one by one from text.
#pragma once

#include <cstddef>
#include <span>

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Returns the elements of a dense attribute of `type` from MLIR's bytes: little-endian, narrow types with one element
/// per byte, i1 with one per bit or per byte. If the bytes have a single element, the result is a scalar, which stands
/// for all.
/// Errors    INVALID_ARGUMENT if the number of elements is neither one nor that of the type, or for types without
///           elements
StatusOr<Literal> literal_from_bytes(const Type& type, std::span<const std::byte> bytes);

/// Returns the number of elements of a static tensor type; otherwise nullopt.
std::optional<int64_t> element_count_of(const Type& type);

/// Appends the bytes of one element from its text: -1, 0x7FC0 (the bits of a float), 1.5e+00, true.
/// Errors    INVALID_ARGUMENT for other text and for integers out of range
Status append_element(ElementType type, std::string_view text, std::string& bytes);

/// Like append_element for a float of 6 bits: appends the bytes of the number in its carrier type.
Status append_six_bits(const Type& type, std::string_view text, std::string& bytes);
/// Converts MLIR's bytes of 6-bit floats to the carrier type.
/// Errors    INVALID_ARGUMENT for bytes with more than 6 bits
StatusOr<std::string> six_bit_elements(const Type& type, std::string_view codes);

/// Returns the carrier type of f6E2M3FN or f6E3M2FN; nullopt for other names.
std::optional<Type> six_bit_type(std::string_view name);

}  // namespace hilo::stablehlo
