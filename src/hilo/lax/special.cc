// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/special.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/lax/broadcasting.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {

#define HILO_LAX_1(enumerator, name)                     \
  Array name(const Operand& x) {                         \
    const UserLocation here(x.location());               \
    return bind_one(hlo::kExt##enumerator, {x.array()}); \
  }
#define HILO_LAX_2(enumerator, name)                                                                       \
  Array name(const Operand& x, const Operand& y) {                                                         \
    const UserLocation here(x.location());                                                                 \
    return spread(#name, x, y,                                                                             \
                  [](const Array& a, const Array& b) { return bind_one(hlo::kExt##enumerator, {a, b}); }); \
  }
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, arity, ...) HILO_LAX_##arity(enumerator, name)
#include "hilo/hlo/ir/extensions.inc"
#undef HILO_LAX_1
#undef HILO_LAX_2

}  // namespace hilo::lax
