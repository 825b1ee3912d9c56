// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/elementwise.h"

#include "hilo/trace/ops.h"

namespace hilo::lax {

#define HILO_LAX_1(lax_name)               \
  Array lax_name(const Operand& x) {       \
    const UserLocation here(x.location()); \
    return ops::lax_name(x.array());       \
  }
#define HILO_LAX_2(lax_name)                           \
  Array lax_name(const Operand& x, const Operand& y) { \
    const UserLocation here(x.location());             \
    return ops::lax_name(x.array(), y.array());        \
  }
#define HILO_LAX_3(lax_name)                                             \
  Array lax_name(const Operand& x, const Operand& y, const Operand& z) { \
    const UserLocation here(x.location());                               \
    return ops::lax_name(x.array(), y.array(), z.array());               \
  }
#define HILO_ELEMENTWISE(enumerator, name, lax_name, arity, ...) HILO_LAX_##arity(lax_name)
#define HILO_ELEMENTWISE_DECLARED(...)
#include "hilo/hlo/ops/elementwise.inc"
#undef HILO_ELEMENTWISE

HILO_LAX_2(eq)
HILO_LAX_2(ne)
HILO_LAX_2(ge)
HILO_LAX_2(gt)
HILO_LAX_2(le)
HILO_LAX_2(lt)
HILO_LAX_2(complex)
#undef HILO_LAX_1
#undef HILO_LAX_2
#undef HILO_LAX_3

Array convert_element_type(const Operand& x, ElementType type) {
  const UserLocation here(x.location());
  return ops::convert_element_type(x.array(), requested_type("convert_element_type", type));
}

Array reduce_precision(const Operand& x, int64_t exponent_bits, int64_t mantissa_bits) {
  const UserLocation here(x.location());
  return ops::reduce_precision(x.array(), exponent_bits, mantissa_bits);
}

}  // namespace hilo::lax
