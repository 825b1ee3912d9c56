// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::hlo {

RowFunction complex_row(Opcode opcode, ElementType type) {
  return type == ElementType::kC64 ? rows::row_of<std::complex<float>>(opcode)
                                   : rows::row_of<std::complex<double>>(opcode);
}

}  // namespace hilo::hlo
