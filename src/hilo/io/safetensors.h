// SPDX-License-Identifier: Apache-2.0
// io/safetensors.h -- reads and writes named tensors in Hugging Face's format.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "hilo/io/mapped_file.h"
#include "hilo/io/npz.h"
#include "hilo/io/safetensors_header.h"

namespace hilo::io {

using Metadata = std::map<std::string, std::string>;

/// An open file of tensors. The header is checked when the file is opened; tensors are read on demand.
struct SafetensorsFile {
  MappedFile file;
  SafetensorsHeader header;
  std::string path;

  /// Returns the bytes of a tensor in the file. Elements of type bool may be any nonzero byte.
  /// Precondition: `entry` belongs to the header.
  std::string_view bytes_of(const SafetensorsEntry& entry) const;
  /// Reads one tensor.
  /// Errors    NOT_FOUND with the most similar name; RESOURCE_EXHAUSTED
  StatusOr<Literal> tensor(std::string_view name) const;
};

/// Opens a file and checks its header.
/// Errors    those of MappedFile::open and parse_safetensors_header
StatusOr<SafetensorsFile> open_safetensors(const std::string& path);

struct Safetensors {
  NamedLiterals tensors;
  Metadata metadata;
};

/// Reads all tensors of a file.
StatusOr<Safetensors> read_safetensors(const std::string& path);

/// Like read_safetensors, for bytes in memory. Messages use `name` as the file name.
StatusOr<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name);

/// Writes named tensors and replaces the file atomically. The first tensor is aligned to 64 bytes, the others to the
/// size of their elements.
/// Types     pred, s8-64, u8-64, f16, bf16, f32, f64, c64, f8e4m3fn, f8e5m2, f8e8m0fnu
/// Errors    those of safetensors_header_bytes and write_file_atomic
Status write_safetensors(const std::string& path, const NamedLiterals& tensors, const Metadata& metadata = {});

/// Returns named tensors as the bytes of such a file.
StatusOr<std::string> safetensors_bytes(const NamedLiterals& tensors, const Metadata& metadata = {});

}  // namespace hilo::io
