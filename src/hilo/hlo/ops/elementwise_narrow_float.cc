// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::hlo {

RowFunction narrow_float_row(Opcode opcode, ElementType type) {
  return visit_array_type(
      type,
      [opcode]<typename T>() -> RowFunction {
        if constexpr (is_narrow_float_twin<T>) return rows::row_of<T>(opcode);
        else return nullptr;
      },
      []() -> RowFunction { return nullptr; });
}

}  // namespace hilo::hlo
