// SPDX-License-Identifier: Apache-2.0
// Any bytes are an archive of arrays or an error. Arrays survive a round trip.
#include "hilo/io/npz.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const hilo::io::ZipLimits limits = {.bytes = 1 << 20};
  const auto arrays = hilo::io::parse_npz({reinterpret_cast<const char*>(data), size}, "fuzz", limits);
  if (!arrays.ok()) return 0;
  const hilo::StatusOr<std::string> bytes = hilo::io::npz_bytes(*arrays, true);
  if (!bytes.ok()) std::abort();
  const auto again = hilo::io::parse_npz(*bytes, "fuzz");
  if (!again.ok() || again->size() != arrays->size()) std::abort();
  for (const auto& [name, array] : *arrays) {
    if (!again->at(name).identical(array)) std::abort();
  }
  return 0;
}
