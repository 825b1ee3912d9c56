// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "hilo/base/json.h"
#include "hilo/base/text.h"
#include "hilo/io/json_scanner.h"
#include "hilo/io/known_formats.h"
#include "hilo/io/little_endian.h"

namespace hilo::io {
namespace {

struct Dtype {
  std::string_view name;
  ElementType type;
};
constexpr std::array<Dtype, 17> kDtypes = {{{"BOOL", ElementType::kPred},
                                            {"I8", ElementType::kS8},
                                            {"I16", ElementType::kS16},
                                            {"I32", ElementType::kS32},
                                            {"I64", ElementType::kS64},
                                            {"U8", ElementType::kU8},
                                            {"U16", ElementType::kU16},
                                            {"U32", ElementType::kU32},
                                            {"U64", ElementType::kU64},
                                            {"F16", ElementType::kF16},
                                            {"BF16", ElementType::kBf16},
                                            {"F32", ElementType::kF32},
                                            {"F64", ElementType::kF64},
                                            {"C64", ElementType::kC64},
                                            {"F8_E4M3", ElementType::kF8E4M3Fn},
                                            {"F8_E5M2", ElementType::kF8E5M2},
                                            {"F8_E8M0", ElementType::kF8E8M0Fnu}}};

constexpr size_t kLength = 8;  // bytes of the header's length field
// bytes; the limit of the reference implementation
constexpr uint64_t kMaxSafetensorsHeader = uint64_t{100} * 1000000;
constexpr size_t kAlign = 64;  // alignment in bytes, that of device buffers

// A tensor's entry in the header, not yet checked.
struct Claim {
  std::optional<std::string> dtype;
  std::optional<std::vector<int64_t>> shape;
  std::optional<std::vector<int64_t>> offsets;
};

StatusOr<std::vector<int64_t>> numbers(JsonScanner& json) {
  HILO_RETURN_IF_ERROR(json.expect('['));
  std::vector<int64_t> values;
  if (json.accept(']')) return values;
  while (true) {
    HILO_ASSIGN_OR_RETURN(const int64_t value, json.natural());
    values.push_back(value);
    if (json.accept(']')) return values;
    HILO_RETURN_IF_ERROR(json.expect(','));
  }
}

StatusOr<Claim> claim_of(JsonScanner& json) {
  Claim claim;
  HILO_RETURN_IF_ERROR(each_key(json, [&](const std::string& key) -> Status {
    const auto fill = [&](auto& place, auto value) -> Status {
      if (place) return json.error(fmt::format("{} appears twice", quote(key)));
      HILO_ASSIGN_OR_RETURN(place, std::move(value));
      return ok_status();
    };
    if (key == "dtype") return fill(claim.dtype, json.string());
    if (key == "shape") return fill(claim.shape, numbers(json));
    if (key == "data_offsets") return fill(claim.offsets, numbers(json));
    return json.error(fmt::format("unknown entry {}; wanted dtype, shape and data_offsets", quote(key)));
  }));
  if (!claim.dtype || !claim.shape || !claim.offsets) return json.error("wanted dtype, shape and data_offsets");
  if (claim.offsets->size() != 2) return json.error("data_offsets: wanted [begin, end]");
  return claim;
}

// Checks one entry against a data section of `data` bytes.
StatusOr<SafetensorsEntry> entry_of(const std::string& name, const Claim& claim, uint64_t data) {
  const auto* known = std::ranges::find(kDtypes, std::string_view(*claim.dtype), &Dtype::name);
  if (known == kDtypes.end()) {
    return unimplemented(fmt::format("{}: element type {} has no counterpart", quote(name), quote(*claim.dtype)));
  }
  StatusOr<Shape> shape = Shape::make_array(known->type, *claim.shape);
  if (!shape.ok()) return shape.status().with_context(quote(name));
  const int64_t begin = (*claim.offsets)[0], end = (*claim.offsets)[1];
  if (begin > end || static_cast<uint64_t>(end) > data) {
    return invalid_argument(
        fmt::format("{} bytes [{},{}); file has {} after the header", quote(name), begin, end, data));
  }
  if (end - begin != shape->byte_size()) {
    return invalid_argument(fmt::format("{}: {} needs {} bytes, data_offsets [{},{}) are {}", quote(name),
                                        shape->to_string(), shape->byte_size(), begin, end, end - begin));
  }
  return SafetensorsEntry{name, *std::move(shape), begin};
}

// Checks that the tensors are consecutive and fill the file.
Status check_places(std::vector<SafetensorsEntry>& tensors, uint64_t data) {
  const auto end_of = [](const SafetensorsEntry& t) { return t.begin + t.shape.byte_size(); };
  std::ranges::stable_sort(tensors, [&](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::pair(a.begin, end_of(a)) < std::pair(b.begin, end_of(b));
  });
  int64_t at = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const SafetensorsEntry& tensor = tensors[i];
    if (tensor.begin < at) {
      const SafetensorsEntry& before = tensors[i - 1];
      return invalid_argument(fmt::format("{} bytes [{},{}) overlap {} [{},{})", quote(tensor.name), tensor.begin,
                                          end_of(tensor), quote(before.name), before.begin, end_of(before)));
    }
    if (tensor.begin > at) {
      return invalid_argument(
          fmt::format("bytes [{},{}) before {} belong to no tensor", at, tensor.begin, quote(tensor.name)));
    }
    at = end_of(tensor);
  }
  if (static_cast<uint64_t>(at) == data) return ok_status();
  return invalid_argument(fmt::format("bytes [{},{}) at the end belong to no tensor", at, data));
}

Status read_metadata(JsonScanner& json, std::map<std::string, std::string>& metadata) {
  return each_key(json, [&](const std::string& key) -> Status {
    HILO_ASSIGN_OR_RETURN(std::string value, json.string());
    if (!metadata.emplace(key, std::move(value)).second)
      return json.error(fmt::format("key {} appears twice", quote(key)));
    return ok_status();
  });
}

StatusOr<SafetensorsHeader> parse(std::string_view text, uint64_t data) {
  SafetensorsHeader header;
  std::set<std::string> names;
  JsonScanner json(text);
  HILO_RETURN_IF_ERROR(each_key(json, [&](const std::string& name) -> Status {
    if (!names.insert(name).second) return json.error(fmt::format("key {} appears twice", quote(name)));
    if (name == "__metadata__") return read_metadata(json, header.metadata);
    HILO_ASSIGN_OR_RETURN(const Claim claim, claim_of(json));
    HILO_ASSIGN_OR_RETURN(SafetensorsEntry entry, entry_of(name, claim, data));
    header.tensors.push_back(std::move(entry));
    return ok_status();
  }));
  HILO_RETURN_IF_ERROR(json.end());
  HILO_RETURN_IF_ERROR(check_places(header.tensors, data));
  return header;
}

}  // namespace

StatusOr<SafetensorsHeader> parse_safetensors_header(std::string_view file) {
  const bool begins = file.size() > kLength && file[kLength] == '{';
  if (!begins && !known_format(file).empty()) return not_this_format("a .safetensors file", file);
  if (file.size() < kLength) {
    return invalid_argument(fmt::format("ends at byte {}, within the header's length", file.size()));
  }
  const uint64_t length = little_endian(file.substr(0, kLength));
  const uint64_t rest = file.size() - kLength;
  if (length > kMaxSafetensorsHeader) {
    return invalid_argument(fmt::format("header says {} bytes; wanted at most {}", length, kMaxSafetensorsHeader));
  }
  if (length > rest) return invalid_argument(fmt::format("header says {} bytes, file has {}", length, rest));
  const std::string_view text = file.substr(kLength, length);
  if (!text.starts_with('{')) return invalid_argument("header: byte 0: wanted '{'");
  StatusOr<SafetensorsHeader> header = parse(text, rest - length);
  if (!header.ok()) return header.status().with_context("header");
  header->size = kLength + length;
  return header;
}

StatusOr<std::string> safetensors_header_bytes(SafetensorsHeader& header) {
  std::string text = "{";
  std::set<std::string_view> names = {"__metadata__"};
  if (!header.metadata.empty()) {
    text += "\"__metadata__\":{";
    for (const auto& [key, value] : header.metadata) {
      text += fmt::format("{}{}:{}", text.ends_with('{') ? "" : ",", json_string(key), json_string(value));
    }
    text += '}';
  }
  int64_t at = 0;
  for (SafetensorsEntry& tensor : header.tensors) {
    const auto* known = std::ranges::find(kDtypes, tensor.shape.element_type(), &Dtype::type);
    if (!tensor.shape.is_array() || known == kDtypes.end()) {
      return unimplemented(
          fmt::format("safetensors: {}: the format has no {}", quote(tensor.name), tensor.shape.to_string()));
    }
    if (!names.insert(tensor.name).second) {
      return invalid_argument(fmt::format("safetensors: {} is not a valid name or occurs twice", quote(tensor.name)));
    }
    tensor.begin = at;
    at += tensor.shape.byte_size();
    std::string sizes;
    for (int64_t size : tensor.shape.dimensions()) sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
    text += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                        text.size() == 1 ? "" : ",", json_string(tensor.name), known->name, sizes, tensor.begin, at);
  }
  text += '}';
  text.append((kAlign - (kLength + text.size()) % kAlign) % kAlign, ' ');
  if (text.size() > kMaxSafetensorsHeader) {
    return invalid_argument(fmt::format("safetensors: the header takes {} bytes; the format has room for {}",
                                        text.size(), kMaxSafetensorsHeader));
  }
  std::string bytes;
  append_little_endian(bytes, text.size(), kLength);
  header.size = bytes.size() + text.size();
  return bytes + text;
}

}  // namespace hilo::io
