// SPDX-License-Identifier: Apache-2.0
// Any bytes are tensors or an error. Tensors survive a round trip.
#include "hilo/io/safetensors.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = hilo::io::parse_safetensors({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file.ok()) return 0;
  const hilo::StatusOr<std::string> bytes = hilo::io::safetensors_bytes(file->tensors, file->metadata);
  if (!bytes.ok()) std::abort();
  const auto again = hilo::io::parse_safetensors(*bytes, "fuzz");
  if (!again.ok() || again->metadata != file->metadata || again->tensors.size() != file->tensors.size()) std::abort();
  for (const auto& [name, tensor] : file->tensors) {
    if (!again->tensors.at(name).identical(tensor)) std::abort();
  }
  return 0;
}
