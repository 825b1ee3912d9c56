// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/mlir_names.h"

#include <string>

#include "hilo/base/text.h"

namespace hilo::stablehlo {

std::optional<ElementType> element_type_from_mlir(std::string_view name) {
  if (name == "i1") return ElementType::kPred;
  if (name == "index") return ElementType::kS64;
  if (name.size() > 1 && name[0] == 'i' && name[1] >= '2' && name[1] <= '9')
    return element_type_from_name("s" + std::string(name.substr(1)));
  if (name == "i16") return ElementType::kS16;
  if (name.starts_with("si")) return element_type_from_name("s" + std::string(name.substr(2)));
  if (name.starts_with("ui")) return element_type_from_name("u" + std::string(name.substr(2)));
  if (!name.starts_with("f") && name != "bf16") return std::nullopt;
  return element_type_from_name(ascii_lower(name));
}

std::string element_type_to_mlir(ElementType type) {
  const std::string name(element_type_name(type));
  if (type == ElementType::kPred) return "i1";
  if (is_signed_integer(type)) return "i" + name.substr(1);
  if (is_unsigned_integer(type)) return "ui" + name.substr(1);
  if (is_complex(type)) return type == ElementType::kC64 ? "complex<f32>" : "complex<f64>";
  if (!name.starts_with("f8") && !name.starts_with("f4")) return name;
  std::string upper = ascii_upper(name);
  upper[0] = 'f';
  return upper;
}

}  // namespace hilo::stablehlo
