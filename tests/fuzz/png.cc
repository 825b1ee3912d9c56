// SPDX-License-Identifier: Apache-2.0
// Any bytes are an image or an error. An 8-bit image survives a round trip.
#include "hilo/io/png.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto picture = hilo::io::parse_png({reinterpret_cast<const char*>(data), size}, "fuzz", 1 << 24);
  if (!picture.ok() || picture->shape().element_type() != hilo::ElementType::kU8) return 0;
  const hilo::Shape& shape = picture->shape();
  const auto bytes =
      hilo::io::png_bytes(shape.dimension(1), shape.dimension(0), shape.dimension(2), picture->data<uint8_t>());
  if (!bytes.ok()) std::abort();
  const auto again = hilo::io::parse_png(*bytes, "fuzz");
  if (!again.ok() || !again->identical(*picture)) std::abort();
  return 0;
}
