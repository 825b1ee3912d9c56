// SPDX-License-Identifier: Apache-2.0
// Any text is a table or an error, plain or compressed.
#include "hilo/io/csv.h"
#include "hilo/io/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(hilo::io::parse_csv(bytes, "fuzz"));
  const hilo::StatusOr<std::string> text = hilo::io::gunzip(bytes, 1 << 20);
  if (text.ok()) static_cast<void>(hilo::io::parse_csv(*text, "fuzz", {.type = hilo::ElementType::kF64}));
  return 0;
}
