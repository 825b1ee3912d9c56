// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::hlo {

RowFunction float_row(Opcode opcode, ElementType type) {
  if (type == ElementType::kF32) return rows::row_of<float>(opcode);
  if (type == ElementType::kF64) return rows::row_of<double>(opcode);
  if (type == ElementType::kBf16) return rows::row_of<bfloat16>(opcode);
  return type == ElementType::kF16 ? rows::row_of<float16>(opcode) : narrow_float_row(opcode, type);
}

}  // namespace hilo::hlo
