// SPDX-License-Identifier: Apache-2.0
// Any bytes are a module or an error. A module survives a round trip with the same meaning.
#include <cstdlib>

#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = hilo::hlo::from_proto({reinterpret_cast<const char*>(data), size});
  if (!module.ok()) return 0;
  const auto bytes = hilo::hlo::to_proto(*module);
  if (!bytes.ok()) return 0;  // only text has this form
  const auto again = hilo::hlo::from_proto(*bytes);
  if (!again.ok() || again->entry->fingerprint() != module->entry->fingerprint()) std::abort();
  return 0;
}
