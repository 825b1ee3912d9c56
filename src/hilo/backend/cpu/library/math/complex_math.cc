// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/math/complex_math.h"

#include <array>
#include <string>

#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::cpu {
namespace {

template <typename Row, typename T>
void map_row(const T* x, const T* y, T* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = hlo::rows::apply_row<Row, T>(x[i], y[i]);
}

template <typename Row, typename T>
void* address_of_row() {
  if constexpr (!Row::kSpecial && hlo::contains(Row::kTypes, element_type_of<T>) &&
                Row::kResult == hlo::ResultType::kSame) {
    return reinterpret_cast<void*>(&map_row<Row, T>);
  } else {
    return nullptr;
  }
}

/// One row of the op table: both widths.
struct Named {
  std::string c64, c128;
  void* address_c64;
  void* address_c128;
};

const std::vector<Named>& rows() {
  static const std::vector<Named>* const all = new std::vector<Named>{
#define HILO_ELEMENTWISE(enumerator, name, ...)                                                                       \
  Named{"hilo_" name "_c64", "hilo_" name "_c128", address_of_row<hlo::rows::enumerator##Row, std::complex<float>>(), \
        address_of_row<hlo::rows::enumerator##Row, std::complex<double>>()},
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
  };
  return *all;
}

}  // namespace

std::vector<RuntimeFunction> complex_math_functions() {
  std::vector<RuntimeFunction> functions;
  for (const Named& row : rows()) {
    if (row.address_c64 == nullptr) continue;
    functions.push_back({row.c64, row.address_c64});
    functions.push_back({row.c128, row.address_c128});
  }
  return functions;
}

}  // namespace hilo::cpu
