// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/check_instruction.h"

#include <fmt/format.h>

namespace hilo::hlo {

StatusOr<Shape> check_instruction(const OpDef& def, std::span<const Shape> operands, const Attributes* attributes,
                                  const std::optional<Shape>& declared) {
  if (def.arity >= 0 && operands.size() != static_cast<size_t>(def.arity)) {
    return invalid_argument(fmt::format("got {} operands, wanted {}", operands.size(), def.arity));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!contains(def.operand_types, operands[i].element_type())) {
      return invalid_argument(fmt::format("operand {} is {}; this op doesn't take element type {}", i,
                                          operands[i].to_string(), element_type_name(operands[i].element_type())));
    }
  }
  if (attributes == nullptr && def.attributes.make != nullptr) return invalid_argument("its attributes are missing");
  HILO_ASSIGN_OR_RETURN(const Shape inferred, def.infer_shape({operands, attributes, declared ? &*declared : nullptr}));
  if (!declared) return inferred;
  if (!declared->compatible(inferred)) {
    return invalid_argument(
        fmt::format("declared shape is {}; the operands imply {}", declared->to_string(), inferred.to_string()));
  }
  return *declared;
}

}  // namespace hilo::hlo
