// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "hilo/base/files.h"
#include "hilo/base/text.h"

namespace hilo::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the format has the machine's bytes");

StatusOr<Literal> literal_of(const Shape& shape, std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(shape));
  const std::span<std::byte> data = literal.mutable_bytes();
  if (!bytes.empty()) std::memcpy(data.data(), bytes.data(), bytes.size());
  if (shape.element_type() == ElementType::kPred) {  // a C++ bool must be 0 or 1
    for (std::byte& b : data) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  return literal;
}

std::string_view bytes_of(std::string_view file, const SafetensorsHeader& header, const SafetensorsEntry& entry) {
  return file.substr(header.size + entry.begin, entry.shape.byte_size());
}

StatusOr<Safetensors> all_of(std::string_view file, const SafetensorsHeader& header) {
  Safetensors all;
  all.metadata = header.metadata;
  for (const SafetensorsEntry& entry : header.tensors) {
    HILO_ASSIGN_OR_RETURN(Literal literal, literal_of(entry.shape, bytes_of(file, header, entry)));
    all.tensors.emplace(entry.name, std::move(literal));
  }
  return all;
}

}  // namespace

std::string_view SafetensorsFile::bytes_of(const SafetensorsEntry& entry) const {
  return io::bytes_of(file.bytes(), header, entry);
}

StatusOr<Literal> SafetensorsFile::tensor(std::string_view name) const {
  const auto found = std::ranges::find(header.tensors, name, &SafetensorsEntry::name);
  if (found != header.tensors.end()) return literal_of(found->shape, bytes_of(*found));
  std::vector<std::string_view> names;
  for (const SafetensorsEntry& entry : header.tensors) names.push_back(entry.name);
  return not_found(fmt::format("{}: no tensor {}.{}", path, quote(name), did_you_mean(name, names)));
}

StatusOr<SafetensorsFile> open_safetensors(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  StatusOr<SafetensorsHeader> header = parse_safetensors_header(file.bytes());
  if (!header.ok()) return header.status().with_context(path);
  return SafetensorsFile{std::move(file), *std::move(header), path};
}

StatusOr<Safetensors> read_safetensors(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const SafetensorsFile file, open_safetensors(path));
  return all_of(file.file.bytes(), file.header);
}

StatusOr<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name) {
  const StatusOr<SafetensorsHeader> header = parse_safetensors_header(bytes);
  if (!header.ok()) return header.status().with_context(name);
  return all_of(bytes, *header);
}

StatusOr<std::string> safetensors_bytes(const NamedLiterals& tensors, const Metadata& metadata) {
  SafetensorsHeader header;
  header.metadata = metadata;
  for (const auto& [name, literal] : tensors) header.tensors.push_back({name, literal.shape()});
  // Elements of wide types come first, so that all are aligned.
  std::ranges::stable_sort(header.tensors, std::ranges::greater(), [](const SafetensorsEntry& entry) {
    return entry.shape.is_array() ? element_size_bytes(entry.shape.element_type()) : 0;
  });
  HILO_ASSIGN_OR_RETURN(std::string bytes, safetensors_header_bytes(header));
  for (const SafetensorsEntry& entry : header.tensors) {
    const std::span<const std::byte> data = tensors.at(entry.name).bytes();
    bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  return bytes;
}

Status write_safetensors(const std::string& path, const NamedLiterals& tensors, const Metadata& metadata) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, safetensors_bytes(tensors, metadata));
  return write_file_atomic(path, bytes);
}

}  // namespace hilo::io
