// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/new_code.h"

#include "hilo/backend/cpu/emit/scalar_program.h"
#include "hilo/backend/cpu/emit/scatter_kernel.h"

namespace hilo::cpu {
namespace {

template <typename Code>
StatusOr<decltype(Code::function)> remembered(const StatusOr<Code>& code,
                                              std::vector<engine::CodeFunction>& functions) {
  if (!code.ok()) return code.status();
  functions.push_back({code->code->object(), Code::kName});
  return code->function;
}

}  // namespace

StatusOr<ScalarFunction> NewCode::scalar_program(const hlo::Computation& computation) {
  return remembered(compile_scalar_program(computation, isa_), functions_);
}

StatusOr<ScatterFunction> NewCode::scatter_kernel(const ScatterKernelSpec& spec) {
  return remembered(compile_scatter_kernel(spec, isa_), functions_);
}

}  // namespace hilo::cpu
