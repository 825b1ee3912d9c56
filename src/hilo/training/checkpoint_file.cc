// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/checkpoint_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "hilo/base/text.h"
#include "hilo/io/safetensors.h"

namespace hilo::training::checkpoint_detail {
namespace {

// Keys of the metadata; a path follows the first two.
constexpr std::string_view kArray = "array ", kValue = "value ", kStructure = "structure", kChecksum = "checksum";
constexpr std::string_view kFormat = "hilo.checkpoint", kVersion = "1";

uint32_t add_to_checksum(uint32_t sum, std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::optional<std::string> from_hexadecimal(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const std::string_view pair = text.substr(i, 2);
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), byte, 16);
    if (pair.size() != 2 || error != std::errc() || end != pair.data() + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

// The checksum of all metadata except the checksum itself.
std::string checksum_of(const io::Metadata& metadata) {
  uint32_t sum = 0;
  for (const auto& [key, value] : metadata) {
    if (key == kChecksum) continue;
    sum = add_to_checksum(add_to_checksum(sum, fmt::format("{}:{}:", key.size(), value.size())), key);
    sum = add_to_checksum(sum, value);
  }
  return fmt::format("{:08x}", sum);
}

// "f32;3,2;1a2b3c4d;strong": type, sizes, checksum of the bytes, whether weakly typed.
std::string description_of(const SavedArray& array) {
  const Shape& shape = array.value.shape();
  std::string sizes;
  for (int64_t size : shape.dimensions()) sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
  return fmt::format("{};{};{:08x};{}", element_type_name(shape.element_type()), sizes,
                     add_to_checksum(0, text_of(array.value.bytes())), array.weak_type ? "weak" : "strong");
}

struct Description {
  Shape shape;
  std::string checksum;
  bool weak_type;
};
StatusOr<Description> parse_description(std::string_view text) {
  const auto take = [&](char until) {
    const std::string_view part = text.substr(0, text.find(until));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
  };
  const std::optional<ElementType> type = element_type_from_name(take(';'));
  std::string_view sizes = take(';');
  const std::string_view checksum = take(';'), weak = text;
  if (!type || !is_array_type(*type)) return invalid_argument("unknown element type");
  std::vector<int64_t> dimensions;
  while (!sizes.empty()) {
    const size_t end = std::min(sizes.find(','), sizes.size());
    const std::optional<int64_t> size = parse_int64(sizes.substr(0, end));
    if (!size) return invalid_argument("a size that is not a number");
    dimensions.push_back(*size);
    sizes.remove_prefix(std::min(sizes.size(), end + 1));
  }
  HILO_ASSIGN_OR_RETURN(Shape shape, Shape::make_array(*type, dimensions));
  return Description{std::move(shape), std::string(checksum), weak == "weak"};
}

// Types that the format lacks are stored as bytes.
bool stored_as_bytes(ElementType type) {
  io::SafetensorsHeader trial;
  trial.tensors.push_back({"x", Shape::array(type, {0})});
  return !io::safetensors_header_bytes(trial).ok();
}

std::string tensor_name(const std::string& path) { return path.empty() ? "." : path; }

StatusOr<Literal> array_of(const io::NamedLiterals& tensors, const std::string& path, const Description& description) {
  const auto found = tensors.find(tensor_name(path));
  if (found == tensors.end()) return data_loss("its bytes are missing");
  const Literal& stored = found->second;
  const Shape expected = stored_as_bytes(description.shape.element_type())
                             ? Shape::array(ElementType::kU8, {description.shape.byte_size()})
                             : description.shape;
  if (stored.shape() != expected) {
    return data_loss(
        fmt::format("it is {}, its description specifies {}", stored.shape().to_string(), expected.to_string()));
  }
  const std::string got = fmt::format("{:08x}", add_to_checksum(0, text_of(stored.bytes())));
  if (got != description.checksum) return data_loss(fmt::format("checksum {}; wanted {}", got, description.checksum));
  return stored.reshaped(description.shape);
}

StatusOr<Snapshot> snapshot_in(const io::Safetensors& file) {
  const auto format = file.metadata.find(std::string(kFormat));
  if (format == file.metadata.end())
    return invalid_argument("not a checkpoint: the file has tensors only. Hint: load_safetensors");
  if (format->second != kVersion) {
    return unimplemented(fmt::format("a checkpoint of version {}; hilo reads {}", quote(format->second), kVersion));
  }
  const auto checksum = file.metadata.find(std::string(kChecksum));
  if (checksum == file.metadata.end() || checksum->second != checksum_of(file.metadata)) {
    return data_loss("checksum of the description differs");
  }
  Snapshot snapshot;
  for (const auto& [key, value] : file.metadata) {
    if (key.starts_with(kArray)) {
      const std::string path = key.substr(kArray.size());
      StatusOr<Description> description = parse_description(value);
      if (!description.ok()) return description.status().with_context("array " + quote(path));
      StatusOr<Literal> literal = array_of(file.tensors, path, *description);
      if (!literal.ok()) return literal.status().with_context("array " + quote(path));
      snapshot.arrays.push_back({path, *std::move(literal), description->weak_type});
    } else if (key.starts_with(kValue)) {
      std::optional<std::string> bytes = from_hexadecimal(value);
      if (!bytes) return invalid_argument(quote(key) + ": no bytes");
      snapshot.values.push_back({key.substr(kValue.size()), *std::move(bytes)});
    } else if (key == kStructure) {
      snapshot.structure = value;
    }
  }
  if (snapshot.arrays.size() != file.tensors.size()) return invalid_argument("tensors that do not belong to an array");
  return snapshot;
}

}  // namespace

StatusOr<std::string> checkpoint_bytes(const Snapshot& snapshot) {
  io::NamedLiterals tensors;
  io::Metadata metadata = {{std::string(kFormat), std::string(kVersion)},
                           {std::string(kStructure), snapshot.structure}};
  for (const SavedArray& array : snapshot.arrays) {
    const Shape& shape = array.value.shape();
    const bool as_bytes = stored_as_bytes(shape.element_type());
    tensors.emplace(tensor_name(array.path),
                    as_bytes ? array.value.reshaped(Shape::array(ElementType::kU8, {shape.byte_size()})) : array.value);
    metadata.emplace(std::string(kArray) + array.path, description_of(array));
  }
  for (const SavedValue& value : snapshot.values) {
    metadata.emplace(std::string(kValue) + value.path, hexadecimal(value.bytes));
  }
  metadata.emplace(kChecksum, checksum_of(metadata));
  return io::safetensors_bytes(tensors, metadata);
}

StatusOr<Snapshot> parse_checkpoint(std::string_view bytes, std::string_view name) {
  HILO_ASSIGN_OR_RETURN(const io::Safetensors file, io::parse_safetensors(bytes, name));
  StatusOr<Snapshot> snapshot = snapshot_in(file);
  if (!snapshot.ok()) return snapshot.status().with_context(name);
  return snapshot;
}

StatusOr<Snapshot> read_checkpoint(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const io::MappedFile file, io::MappedFile::open(path));
  return parse_checkpoint(file.bytes(), path);
}

}  // namespace hilo::training::checkpoint_detail
