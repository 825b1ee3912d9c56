// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/math/complex_math.h"

#include "hilo/backend/cpu/runtime/complex_math.h"

namespace hilo::cpu {
namespace {

template <typename Row>
void add(std::vector<ComplexFunction>& functions, const std::string& name, const std::string& symbol, void* c64,
         void* c128) {
  if constexpr (runtime::kIsComplexRow<Row>) {
    functions.push_back({"hilo_" + name + "_c64", "hilo_rt_" + symbol + "_c64", c64});
    functions.push_back({"hilo_" + name + "_c128", "hilo_rt_" + symbol + "_c128", c128});
  }
}

}  // namespace

std::vector<ComplexFunction> complex_math_functions() {
  std::vector<ComplexFunction> functions;
#define HILO_ELEMENTWISE(enumerator, name, ...)                                                 \
  add<hlo::rows::enumerator##Row>(functions, name, #enumerator,                                 \
                                  reinterpret_cast<void*>(runtime::hilo_rt_##enumerator##_c64), \
                                  reinterpret_cast<void*>(runtime::hilo_rt_##enumerator##_c128));
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
  return functions;
}

}  // namespace hilo::cpu
