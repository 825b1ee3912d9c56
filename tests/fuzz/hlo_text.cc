// SPDX-License-Identifier: Apache-2.0
// Any text is a module or an error. A module survives a round trip with the same text.
#include <cstdlib>

#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = hilo::hlo::parse_module({reinterpret_cast<const char*>(data), size});
  if (!module.ok()) return 0;
  const std::string text = hilo::hlo::print_module(*module);
  const auto again = hilo::hlo::parse_module(text);
  if (!again.ok() || hilo::hlo::print_module(*again) != text) std::abort();
  return 0;
}
