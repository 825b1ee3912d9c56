// SPDX-License-Identifier: Apache-2.0
// Any bytes are an array or an error. An array survives a round trip.
#include "hilo/io/npy.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const hilo::StatusOr<hilo::Literal> literal =
      hilo::io::parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!literal.ok()) return 0;
  const hilo::StatusOr<std::string> bytes = hilo::io::npy_bytes(*literal);
  if (!bytes.ok()) std::abort();
  const hilo::StatusOr<hilo::Literal> again = hilo::io::parse_npy(*bytes, "fuzz");
  if (!again.ok() || !again->identical(*literal)) std::abort();
  return 0;
}
