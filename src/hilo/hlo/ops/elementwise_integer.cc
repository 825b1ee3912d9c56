// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::hlo {

RowFunction integer_row(Opcode opcode, ElementType type) {
  return visit_element_type(
      type,
      [opcode]<typename T>() -> RowFunction {
        if constexpr (std::is_integral_v<T>) return rows::row_of<T>(opcode);
        else return nullptr;
      },
      []() -> RowFunction { return nullptr; });
}

}  // namespace hilo::hlo
