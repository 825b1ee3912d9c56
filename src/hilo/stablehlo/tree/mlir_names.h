// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/mlir_names.h -- names that MLIR and HLO spell differently: element types, and words of enums.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/types/element_type.h"

namespace hilo::stablehlo {

/// "i1" -> pred, "i32" and "si32" -> s32, "ui8" -> u8, "index" -> s64, "f8E4M3FN" -> f8e4m3fn.
std::optional<ElementType> element_type_from_mlir(std::string_view name);

/// The other way: "i32", "ui8", "f8E4M3FN", "complex<f32>".
std::string element_type_to_mlir(ElementType type);

}  // namespace hilo::stablehlo
