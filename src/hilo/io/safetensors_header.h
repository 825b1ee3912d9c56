// SPDX-License-Identifier: Apache-2.0
// io/safetensors_header.h -- the header of a .safetensors file: names, types, shapes and offsets of tensors.
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
  int64_t begin = 0;  ///< offset of its bytes from the end of the header
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  ///< sorted by offset
  std::map<std::string, std::string> metadata;
  int64_t size = 0;  ///< bytes of length field and header; the tensors' bytes begin here
};

/// Reads the header of a complete file and checks it against the file. Tensors must be consecutive from the end of the
/// header to the end of the file, without overlap or gap. Each must have as many bytes as its shape needs.
/// Errors    INVALID_ARGUMENT for anything else, including duplicate names; UNIMPLEMENTED for element types without a
///           counterpart
/// Source    the format's description in huggingface/safetensors, README.md
StatusOr<SafetensorsHeader> parse_safetensors_header(std::string_view file);

/// Returns the header's bytes for consecutive tensors, padded to a multiple of 64. Sets the `begin` of each tensor.
/// Errors    INVALID_ARGUMENT for a tuple or duplicate names; UNIMPLEMENTED for types that the format lacks
StatusOr<std::string> safetensors_header_bytes(SafetensorsHeader& header);

}  // namespace hilo::io
