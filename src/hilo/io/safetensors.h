// SPDX-License-Identifier: Apache-2.0
// io/safetensors.h -- tensors by name in the format of Hugging Face, to and from literals.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "hilo/io/mapped_file.h"
#include "hilo/io/npz.h"
#include "hilo/io/safetensors_header.h"

namespace hilo::io {

using Metadata = std::map<std::string, std::string>;

/// A file of tensors, opened: its header is checked, and tensors are read when they are asked for.
struct SafetensorsFile {
  MappedFile file;
  SafetensorsHeader header;
  std::string path;

  /// A tensor's bytes in the file; elements of type bool may have any byte that isn't 0.
  /// Precondition: entry is one of the header's.
  std::string_view bytes_of(const SafetensorsEntry& entry) const;
  /// Errors    NOT_FOUND with the nearest name; RESOURCE_EXHAUSTED
  StatusOr<Literal> tensor(std::string_view name) const;
};

/// Errors    those of MappedFile::open and parse_safetensors_header
StatusOr<SafetensorsFile> open_safetensors(const std::string& path);

struct Safetensors {
  NamedLiterals tensors;
  Metadata metadata;
};

/// All tensors of a file.
StatusOr<Safetensors> read_safetensors(const std::string& path);

/// The same from bytes in memory; `name` stands for the file in messages.
StatusOr<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name);

/// Writes tensors by name, whole or not at all; the first begins at a multiple of 64 bytes, each at one of its
/// elements. Types     pred, s8-64, u8-64, f16, bf16, f32, f64, c64, f8e4m3fn, f8e5m2, f8e8m0fnu
/// Errors    those of safetensors_header_bytes and write_file_atomic
Status write_safetensors(const std::string& path, const NamedLiterals& tensors, const Metadata& metadata = {});

/// The bytes of such a file.
StatusOr<std::string> safetensors_bytes(const NamedLiterals& tensors, const Metadata& metadata = {});

}  // namespace hilo::io
