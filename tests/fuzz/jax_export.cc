// SPDX-License-Identifier: Apache-2.0
// Any bytes are an exported function or an error.
#include "hilo/stablehlo/jax_export.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)hilo::stablehlo::is_jax_export(bytes);
  (void)hilo::stablehlo::read_jax_export(bytes, "fuzz").ok();
  return 0;
}
