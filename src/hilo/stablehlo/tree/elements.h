// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/elements.h -- elements of dense attributes: from bytes, as MLIR keeps them, and one by one from text.
#pragma once

#include <cstddef>
#include <span>

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// The elements of a dense attribute of `type` from MLIR's bytes: little-endian, sub-byte types one to a byte, i1 one to a
/// bit or to a byte. Bytes of a single element stand for all of them; the literal is then a scalar.
/// Errors    INVALID_ARGUMENT if there are neither one nor as many elements as the type has, or for types without elements
StatusOr<Literal> literal_from_bytes(const Type& type, std::span<const std::byte> bytes);

/// Elements that the type has, if it is a static tensor; else nullopt.
std::optional<int64_t> element_count_of(const Type& type);

/// Appends the bytes of the element that `text` spells: -1, 0x7FC0 (the bits of a float), 1.5e+00, true.
/// Errors    INVALID_ARGUMENT for other text, and for integers that don't fit
Status append_element(ElementType type, std::string_view text, std::string& bytes);

/// The same of a float of 6 bits: the bytes of its number in the type that carries it.
Status append_six_bits(const Type& type, std::string_view text, std::string& bytes);
/// Their numbers from MLIR's bytes. Errors INVALID_ARGUMENT for bytes of more than 6 bits
StatusOr<std::string> six_bit_elements(const Type& type, std::string_view codes);

/// The type that carries f6E2M3FN or f6E3M2FN; nullopt for other names.
std::optional<Type> six_bit_type(std::string_view name);

}  // namespace hilo::stablehlo
