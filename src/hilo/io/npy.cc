// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/io/known_formats.h"
#include "hilo/io/little_endian.h"
#include "hilo/io/npy_header.h"

namespace hilo::io {
namespace {

static_assert(std::endian::native == std::endian::little, "npy files are written as the machine's bytes");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kFixed = 8;                    // bytes of magic and version
constexpr size_t kMaxHeader = size_t{1} << 20;  // maximum bytes of a header; a shape of 64 dimensions takes 2 KiB

struct NpyType {
  std::string_view code;  // kind and size in bytes, in NumPy's notation
  ElementType type;
};

// NumPy writes the bfloat16 type of ml_dtypes and JAX as "V2", which means two opaque bytes.
constexpr std::array<NpyType, 15> kNpyTypes = {{{"b1", ElementType::kPred},
                                                {"i1", ElementType::kS8},
                                                {"i2", ElementType::kS16},
                                                {"i4", ElementType::kS32},
                                                {"i8", ElementType::kS64},
                                                {"u1", ElementType::kU8},
                                                {"u2", ElementType::kU16},
                                                {"u4", ElementType::kU32},
                                                {"u8", ElementType::kU64},
                                                {"f2", ElementType::kF16},
                                                {"V2", ElementType::kBf16},
                                                {"f4", ElementType::kF32},
                                                {"f8", ElementType::kF64},
                                                {"c8", ElementType::kC64},
                                                {"c16", ElementType::kC128}}};

struct Descr {
  ElementType type;
  bool swapped;  // whether the numbers have the other byte order
};

StatusOr<Descr> parse_descr(std::string_view descr) {
  std::string_view code = descr;
  bool swapped = false;
  if (!code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos) {
    swapped = code[0] == '>';
    code.remove_prefix(1);
  }
  for (const NpyType& known : kNpyTypes) {
    if (known.code == code) return Descr{known.type, swapped};
  }
  if (code.starts_with('O')) {
    return unimplemented(fmt::format("holds Python objects ({}); hilo never unpickles", quote(descr)));
  }
  return unimplemented(
      fmt::format("element type {} has no counterpart; wanted bool, int, uint, float or complex. Hint: save "
                  "array.astype('float32')",
                  quote(descr)));
}

struct Split {
  std::string_view header;
  std::string_view data;
};

// The range of the header's text, derived from magic, version and length.
struct HeaderPlace {
  size_t begin, end;
};
StatusOr<HeaderPlace> place_of_header(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return not_this_format("an .npy file", bytes);
  }
  if (bytes.size() < kFixed) return invalid_argument(fmt::format("ends at byte {}, within the version", bytes.size()));
  const int major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0) {
    return unimplemented(fmt::format("version {}.{}; hilo reads 1.0, 2.0 and 3.0", major & 0xff, minor & 0xff));
  }
  const size_t width = major == 1 ? 2 : 4;  // bytes of the header's length field
  if (bytes.size() < kFixed + width) {
    return invalid_argument(fmt::format("ends at byte {}, within the header's length", bytes.size()));
  }
  const size_t length = little_endian(bytes.substr(kFixed, width));
  return HeaderPlace{kFixed + width, kFixed + width + length};
}

StatusOr<Split> split(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(const HeaderPlace place, place_of_header(bytes));
  const size_t length = place.end - place.begin;
  if (place.end > bytes.size()) {
    return invalid_argument(fmt::format("header says {} bytes, file has {}", length, bytes.size()));
  }
  if (length > kMaxHeader) {
    return invalid_argument(fmt::format("header says {} bytes; wanted at most {}", length, kMaxHeader));
  }
  return Split{bytes.substr(place.begin, length), bytes.substr(place.end)};
}

void swap_bytes(std::span<std::byte> data, ElementType type) {
  const size_t width = element_size_bytes(real_type_of(type));
  for (size_t i = 0; i + width <= data.size(); i += width) {
    std::reverse(data.begin() + i, data.begin() + i + width);
  }
}

// Copies elements from column-major to row-major order.
void copy_from_fortran(const std::byte* from, const Shape& shape, std::byte* to) {
  const size_t size = element_size_bytes(shape.element_type());
  const std::span<const int64_t> dimensions = shape.dimensions();
  std::vector<size_t> strides(dimensions.size()), index(dimensions.size(), 0);
  size_t stride = size;  // bytes between neighbours
  for (size_t d = 0; d < dimensions.size(); ++d) {
    strides[d] = stride;
    stride *= static_cast<size_t>(dimensions[d]);
  }
  size_t offset = 0;
  for (int64_t i = 0; i < shape.element_count(); ++i, to += size) {
    std::memcpy(to, from + offset, size);
    for (size_t d = dimensions.size(); d-- > 0;) {  // next index in row-major order
      offset += strides[d];
      if (++index[d] < static_cast<size_t>(dimensions[d])) break;
      offset -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

struct Contents {
  NpyHeader header;
  Descr descr;
  Shape shape;
};

StatusOr<Contents> contents_of(std::string_view header_text) {
  HILO_ASSIGN_OR_RETURN(NpyHeader header, parse_npy_header(header_text));
  HILO_ASSIGN_OR_RETURN(const Descr descr, parse_descr(header.descr));
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::make_array(descr.type, header.shape));
  return Contents{std::move(header), descr, shape};
}

StatusOr<int64_t> longest_file(std::string_view beginning) {
  HILO_ASSIGN_OR_RETURN(const HeaderPlace place, place_of_header(beginning));
  if (place.end > beginning.size() && place.end <= kFixed + 4 + kMaxHeader) return kDefaultFileLimit;
  HILO_ASSIGN_OR_RETURN(const Split parts, split(beginning));
  HILO_ASSIGN_OR_RETURN(const Contents contents, contents_of(parts.header));
  return static_cast<int64_t>(place.end) + contents.shape.byte_size();
}

StatusOr<Literal> parse(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(const Split parts, split(bytes));
  HILO_ASSIGN_OR_RETURN(const Contents contents, contents_of(parts.header));
  const auto& [header, descr, shape] = contents;
  const size_t wanted = shape.byte_size();
  if (wanted != parts.data.size()) {
    return invalid_argument(
        fmt::format("{} needs {} bytes after the header; file has {}", shape.to_string(), wanted, parts.data.size()));
  }
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(shape));
  const std::span<std::byte> data = literal.mutable_bytes();
  const auto* source = reinterpret_cast<const std::byte*>(parts.data.data());
  if (header.fortran_order && shape.rank() > 1) {
    copy_from_fortran(source, shape, data.data());
  } else if (wanted != 0) {
    std::memcpy(data.data(), source, wanted);
  }
  if (descr.swapped) swap_bytes(data, descr.type);
  if (descr.type == ElementType::kPred) {  // a C++ bool must be 0 or 1
    for (std::byte& b : data) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  return literal;
}

}  // namespace

StatusOr<Literal> parse_npy(std::string_view bytes, std::string_view name) {
  StatusOr<Literal> literal = parse(bytes);
  if (!literal.ok()) return literal.status().with_context(name);
  return literal;
}

StatusOr<Literal> read_npy(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_file(path, [&](std::string_view beginning) {
                          StatusOr<int64_t> longest = longest_file(beginning);
                          return longest.ok() ? longest : longest.status().with_context(path);
                        }));
  return parse_npy(bytes, path);
}

StatusOr<std::string> npy_bytes(const Literal& literal) {
  const Shape& shape = literal.shape();
  if (!shape.is_array())
    return invalid_argument(fmt::format("npy: only arrays can be written; got {}", shape.to_string()));
  const auto* known = std::ranges::find(kNpyTypes, shape.element_type(), &NpyType::type);
  if (known == kNpyTypes.end()) {
    return unimplemented(fmt::format("npy: NumPy has no element type {}; got {}. Hint: convert to f32",
                                     element_type_name(shape.element_type()), shape.to_string()));
  }
  NpyHeader header;
  header.descr = fmt::format("{}{}", known->code.ends_with('1') ? '|' : '<', known->code);
  header.shape.assign(shape.dimensions().begin(), shape.dimensions().end());
  std::string text = npy_header_text(header);
  constexpr size_t kPrefix = kFixed + 2;  // bytes before the text in version 1
  constexpr size_t kAlign = 64;           // alignment of the data in bytes, for memory mapping by NumPy
  text.append(kAlign - 1 - (kPrefix + text.size()) % kAlign, ' ');
  text += '\n';
  std::string bytes;
  const std::span<const std::byte> data = literal.bytes();
  bytes.reserve(kPrefix + text.size() + data.size());
  bytes.append(kMagic).append("\x01\x00", 2);
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  bytes.append(text);
  bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
  return bytes;
}

Status write_npy(const std::string& path, const Literal& literal) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, npy_bytes(literal));
  return write_file_atomic(path, bytes);
}

}  // namespace hilo::io
