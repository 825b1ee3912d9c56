// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loaded_function.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "hilo/trace/trace.h"

namespace hilo {

std::function<Array(Array)> loaded_function(const std::string& entry, const std::string& computations) {
  const StatusOr<hlo::Module> module =
      hlo::parse_module("HloModule loaded\n" + computations + "\nENTRY main {\n" + entry + "\n}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const hlo::ComputationPtr computation = module.ok() ? module->entry : nullptr;
  return [computation](const Array& x) { return run_computation(*computation, std::span<const Array>(&x, 1))[0]; };
}

}  // namespace hilo
