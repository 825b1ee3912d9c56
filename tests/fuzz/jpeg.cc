// SPDX-License-Identifier: Apache-2.0
// Any bytes are an image or an error.
#include "hilo/io/jpeg.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(hilo::io::parse_jpeg({reinterpret_cast<const char*>(data), size}, "fuzz", 1 << 22));
  return 0;
}
