// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/mlir_names.h -- converts names between MLIR and HLO: element types and enum values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/types/element_type.h"

namespace hilo::stablehlo {

/// Converts "i1" -> pred, "i32" and "si32" -> s32, "ui8" -> u8, "index" -> s64, "f8E4M3FN" -> f8e4m3fn.
std::optional<ElementType> element_type_from_mlir(std::string_view name);

/// Returns MLIR's name of a type: "i32", "ui8", "f8E4M3FN", "complex<f32>".
std::string element_type_to_mlir(ElementType type);

}  // namespace hilo::stablehlo
