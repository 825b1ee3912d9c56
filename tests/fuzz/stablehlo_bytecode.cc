// SPDX-License-Identifier: Apache-2.0
// Any bytes are a module tree or an error. A tree is a program or an error.
#include "hilo/stablehlo/bytecode/reader.h"
#include "hilo/stablehlo/translate/translate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tree = hilo::stablehlo::read_bytecode({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (tree.ok()) (void)hilo::stablehlo::translate(*tree).ok();
  return 0;
}
