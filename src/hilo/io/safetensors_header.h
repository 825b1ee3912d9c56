// SPDX-License-Identifier: Apache-2.0
// io/safetensors_header.h -- what stands at the head of a .safetensors file: where each tensor lies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/types/shape.h"

namespace hilo::io {

struct SafetensorsEntry {
  std::string name;
  Shape shape;
  int64_t begin = 0;  ///< of its bytes, from the end of the header
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  ///< in the order of their bytes
  std::map<std::string, std::string> metadata;
  int64_t size = 0;  ///< bytes of length and header: where the tensors' bytes begin
};

/// Reads the head of `file`, which is the whole file, and holds every word of it against the file: tensors lie one
/// after the other from the header's end to the file's, without overlap or hole, and each has the bytes that its shape
/// needs.
/// Errors    INVALID_ARGUMENT for anything else, names that appear twice among them; UNIMPLEMENTED for element types
///           without counterpart
/// Source    the format's description in huggingface/safetensors, README.md
StatusOr<SafetensorsHeader> parse_safetensors_header(std::string_view file);

/// The same bytes for tensors one after the other, padded so that these begin at a multiple of 64; sets their `begin`.
/// Errors    INVALID_ARGUMENT for a tuple, or names that appear twice; UNIMPLEMENTED for types that the format lacks
StatusOr<std::string> safetensors_header_bytes(SafetensorsHeader& header);

}  // namespace hilo::io
