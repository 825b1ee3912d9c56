// SPDX-License-Identifier: Apache-2.0
// Any text is a module tree or an error. A tree is a program or an error.
#include "hilo/stablehlo/text/reader.h"
#include "hilo/stablehlo/translate/translate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tree = hilo::stablehlo::read_text({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!tree.ok()) return 0;
  (void)hilo::stablehlo::translate(*tree).ok();
  std::vector<hilo::stablehlo::Check> checks;
  (void)hilo::stablehlo::translate(*tree, {.function = {}, .checks = &checks}).ok();
  return 0;
}
