// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/new_code.h -- compiles the code that library calls request while they are selected.
#pragma once

#include "hilo/backend/cpu/library/hero.h"

namespace hilo::cpu {

class NewCode final : public InnerCode {
 public:
  explicit NewCode(Isa isa) : isa_(isa) {}

  /// Compiles the function.
  /// Errors    those of compile_scalar_program and compile_scatter_kernel
  StatusOr<ScalarFunction> scalar_program(const hlo::Computation& computation) override;
  StatusOr<ScatterFunction> scatter_kernel(const ScatterKernelSpec& spec) override;

  /// Returns the requested functions, in order.
  std::vector<engine::CodeFunction> functions() && { return std::move(functions_); }

 private:
  Isa isa_;
  std::vector<engine::CodeFunction> functions_;
};

}  // namespace hilo::cpu
