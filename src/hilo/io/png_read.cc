// SPDX-License-Identifier: Apache-2.0
// The reading half of png.h.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/io/inflate.h"
#include "hilo/io/known_formats.h"
#include "hilo/io/png.h"
#include "hilo/types/checked.h"

namespace hilo::io {
namespace {

constexpr std::string_view kPngMagic("\x89PNG\r\n\x1a\n", 8);
constexpr int64_t kMostInflation = 1032;  // bytes that deflate makes of one, at most
enum ColourType : uint8_t { kGrey = 0, kRgb = 2, kPalette = 3, kGreyAlpha = 4, kRgba = 6 };

uint32_t big_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// What IHDR says.
struct Header {
  int64_t width = 0, height = 0;
  int bits = 8;  // a sample
  ColourType colour = kGrey;
  bool interlaced = false;

  int samples() const { return colour == kRgb ? 3 : colour == kRgba ? 4 : colour == kGreyAlpha ? 2 : 1; }
  int64_t row_bytes(int64_t pixels) const { return (pixels * samples() * bits + 7) / 8; }
};

struct File {
  Header header;
  std::string_view palette, transparency;
  std::string packed;  // all of IDAT
};

StatusOr<Header> header_of(std::string_view data) {
  if (data.size() != 13) return invalid_argument(fmt::format("IHDR has {} bytes; wanted 13", data.size()));
  Header header = {big_endian(data.substr(0, 4)), big_endian(data.substr(4, 4)), static_cast<unsigned char>(data[8]),
                   static_cast<ColourType>(data[9]), data[12] == 1};
  if (header.width < 1 || header.height < 1 || header.width > INT32_MAX || header.height > INT32_MAX) {
    return invalid_argument(fmt::format("size {} x {}; wanted 1 to {} each", header.width, header.height, INT32_MAX));
  }
  const auto among = [&](std::initializer_list<int> known) { return std::ranges::count(known, header.bits) == 1; };
  bool fits = false;
  switch (header.colour) {
    case kGrey: fits = among({1, 2, 4, 8, 16}); break;
    case kPalette: fits = among({1, 2, 4, 8}); break;
    case kRgb:
    case kGreyAlpha:
    case kRgba: fits = among({8, 16}); break;
  }
  if (!fits)
    return invalid_argument(fmt::format("colour type {} of {} bits; the format has none", +header.colour, header.bits));
  if (data[10] != 0 || data[11] != 0 || static_cast<unsigned char>(data[12]) > 1) {
    return invalid_argument("IHDR: unknown methods of packing, filtering or interlacing");
  }
  return header;
}

// Takes the next chunk off the front: its name and data, whose checksum fits.
struct Chunk {
  std::string_view name, data;
};
StatusOr<Chunk> take_chunk(std::string_view& rest, size_t at) {
  if (rest.size() < 12) return data_loss(fmt::format("ends at byte {}, within a chunk", at + rest.size()));
  const size_t length = big_endian(rest.substr(0, 4));
  if (length > INT32_MAX) return invalid_argument(fmt::format("byte {}: a chunk of {} bytes", at, length));
  if (length > rest.size() - 12)
    return data_loss(fmt::format("byte {}: a chunk of {} bytes; file has {}", at, length, rest.size() - 12));
  const std::string_view named = rest.substr(4, 4 + length);
  const uLong got = ::crc32_z(0, reinterpret_cast<const Bytef*>(named.data()), named.size());
  const Chunk chunk = {named.substr(0, 4), named.substr(4)};
  if (got != big_endian(rest.substr(8 + length, 4))) {
    return data_loss(fmt::format("byte {}: checksum of chunk {} differs", at, quote(chunk.name)));
  }
  rest.remove_prefix(12 + length);
  return chunk;
}

StatusOr<File> chunks_of(std::string_view bytes) {
  if (!bytes.starts_with(kPngMagic)) return not_this_format("a PNG picture", bytes);
  std::string_view rest = bytes.substr(kPngMagic.size());
  std::optional<Header> header;
  File file;
  while (true) {
    HILO_ASSIGN_OR_RETURN(const Chunk chunk, take_chunk(rest, bytes.size() - rest.size()));
    if ((chunk.name == "IHDR") == header.has_value()) {
      return invalid_argument(header ? "chunk 'IHDR' appears twice" : "the first chunk is no IHDR");
    }
    if (chunk.name == "IHDR") {
      HILO_ASSIGN_OR_RETURN(header, header_of(chunk.data));
    } else if (chunk.name == "PLTE") {
      file.palette = chunk.data;
    } else if (chunk.name == "tRNS") {
      file.transparency = chunk.data;
    } else if (chunk.name == "IDAT") {
      file.packed.append(chunk.data);
    } else if (chunk.name == "IEND") {
      break;
    } else if ((chunk.name[0] & 0x20) == 0) {
      return unimplemented(fmt::format("chunk {} is unknown, and needed", quote(chunk.name)));
    }
  }
  if (!rest.empty()) return invalid_argument(fmt::format("byte {}: bytes after the end", bytes.size() - rest.size()));
  file.header = *header;
  if (file.header.colour == kPalette &&
      (file.palette.empty() || file.palette.size() % 3 != 0 || file.palette.size() > 768)) {
    return invalid_argument(fmt::format("a palette of {} bytes; wanted 3 to 768 in threes", file.palette.size()));
  }
  const bool key = file.header.colour == kGrey || file.header.colour == kRgb;
  if (key && !file.transparency.empty() && file.transparency.size() != static_cast<size_t>(2 * file.header.samples())) {
    return invalid_argument(
        fmt::format("tRNS has {} bytes; wanted {}", file.transparency.size(), 2 * file.header.samples()));
  }
  return file;
}

// A part of the picture that is filtered by itself: all of it, or one of the seven passes of Adam7.
struct Pass {
  int64_t x, y, dx, dy;
  int64_t width(const Header& h) const { return h.width > x ? (h.width - x + dx - 1) / dx : 0; }
  int64_t height(const Header& h) const { return h.height > y ? (h.height - y + dy - 1) / dy : 0; }
  int64_t bytes(const Header& h) const { return width(h) == 0 ? 0 : height(h) * (1 + h.row_bytes(width(h))); }
};
constexpr std::array<Pass, 1> kWhole = {{{0, 0, 1, 1}}};
constexpr std::array<Pass, 7> kAdam7 = {
    {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};

std::span<const Pass> passes_of(const Header& header) {
  return header.interlaced ? std::span<const Pass>(kAdam7) : std::span<const Pass>(kWhole);
}

uint8_t paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int a = std::abs(guess - left), b = std::abs(guess - up), c = std::abs(guess - corner);
  return static_cast<uint8_t>(a <= b && a <= c ? left : b <= c ? up : corner);
}

// Undoes the filter of a row in place; `up` is the row before, or null. `step`: bytes from a pixel to the next.
Status unfilter(int filter, std::span<uint8_t> row, const uint8_t* up, size_t step) {
  if (filter > 4) return invalid_argument(fmt::format("a row has filter {}; the format has 0 to 4", filter));
  for (size_t i = 0; i < row.size() && filter != 0; ++i) {
    const int left = i >= step ? row[i - step] : 0;
    const int above = up != nullptr ? up[i] : 0;
    const int corner = i >= step && up != nullptr ? up[i - step] : 0;
    const int predicted = filter == 1   ? left
                          : filter == 2 ? above
                          : filter == 3 ? (left + above) / 2
                                        : paeth(left, above, corner);
    row[i] = static_cast<uint8_t>(row[i] + predicted);
  }
  return ok_status();
}

// Puts the samples of a file into a literal.
class Painter {
 public:
  Painter(const File& file, Literal& picture) : file_(file), header_(file.header), picture_(picture) {}

  static int64_t channels(const File& file) {
    const int colours = file.header.colour == kPalette ? 3 : file.header.samples();
    return colours + (file.transparency.empty() || has_alpha(file.header) ? 0 : 1);
  }

  Status paint(std::string& raw) {
    size_t at = 0;
    for (const Pass& pass : passes_of(header_)) {
      const int64_t width = pass.width(header_), height = width == 0 ? 0 : pass.height(header_);
      const auto size = static_cast<size_t>(header_.row_bytes(width));
      const size_t step = std::max<size_t>(static_cast<size_t>(header_.samples() * header_.bits) / 8, 1);
      const uint8_t* up = nullptr;
      for (int64_t y = 0; y < height; ++y, at += 1 + size) {
        auto* const row = reinterpret_cast<uint8_t*>(raw.data() + at + 1);
        HILO_RETURN_IF_ERROR(unfilter(static_cast<unsigned char>(raw[at]), {row, size}, up, step));
        for (int64_t x = 0; x < width; ++x) {
          HILO_RETURN_IF_ERROR(pixel(row, x, pass.x + x * pass.dx, pass.y + y * pass.dy));
        }
        up = row;
      }
    }
    return ok_status();
  }

 private:
  static bool has_alpha(const Header& header) { return header.colour == kGreyAlpha || header.colour == kRgba; }

  uint32_t sample(const uint8_t* row, int64_t index) const {
    const auto i = static_cast<size_t>(index);
    if (header_.bits == 8) return row[i];
    if (header_.bits == 16) return static_cast<uint32_t>(row[2 * i] << 8 | row[2 * i + 1]);
    const size_t bit = i * static_cast<size_t>(header_.bits);
    const auto shift = 8 - static_cast<size_t>(header_.bits) - bit % 8;
    return row[bit / 8] >> shift & ((1u << header_.bits) - 1);
  }

  void put(int64_t x, int64_t y, int64_t channel, uint32_t value) {
    const auto place = static_cast<size_t>((y * header_.width + x) * channels(file_) + channel);
    if (header_.bits == 16) wide_[place] = static_cast<uint16_t>(value);
    else bytes_[place] = static_cast<uint8_t>(value);
  }

  Status pixel(const uint8_t* row, int64_t from, int64_t x, int64_t y) {
    const int samples = header_.samples();
    if (header_.colour == kPalette) return palette_pixel(sample(row, from), x, y);
    bool is_key = !file_.transparency.empty() && !has_alpha(header_);
    const bool keyed = is_key;
    const uint32_t largest = (1u << std::min(header_.bits, 16)) - 1;
    for (int s = 0; s < samples; ++s) {
      const uint32_t value = sample(row, from * samples + s);
      is_key = is_key && value == (big_endian(file_.transparency.substr(static_cast<size_t>(2 * s), 2)) & largest);
      put(x, y, s, header_.bits < 8 ? value * 255 / largest : value);
    }
    if (keyed) put(x, y, samples, is_key ? 0 : header_.bits == 16 ? 0xffff : 0xff);
    return ok_status();
  }

  Status palette_pixel(uint32_t index, int64_t x, int64_t y) {
    if (3 * index >= file_.palette.size()) {
      return invalid_argument(fmt::format("pixel ({}, {}) has colour {} of {}", x, y, index, file_.palette.size() / 3));
    }
    for (uint32_t c = 0; c < 3; ++c) put(x, y, c, static_cast<unsigned char>(file_.palette[3 * index + c]));
    if (file_.transparency.empty()) return ok_status();
    put(x, y, 3, index < file_.transparency.size() ? static_cast<unsigned char>(file_.transparency[index]) : 255);
    return ok_status();
  }

  const File& file_;
  const Header& header_;
  Literal& picture_;
  std::span<uint8_t> bytes_ = header_.bits == 16 ? std::span<uint8_t>() : picture_.data<uint8_t>();
  std::span<uint16_t> wide_ = header_.bits == 16 ? picture_.data<uint16_t>() : std::span<uint16_t>();
};

StatusOr<Literal> parse_png(std::string_view bytes, int64_t limit) {
  HILO_ASSIGN_OR_RETURN(const File file, chunks_of(bytes));
  const Header& header = file.header;
  const int64_t channels = Painter::channels(file);
  const ElementType type = header.bits == 16 ? ElementType::kU16 : ElementType::kU8;
  // Each size is below 2^31 and the rest at most 8 bytes: neither product wraps.
  const std::optional<int64_t> size = checked_mul(header.width * header.height, channels * element_size_bytes(type));
  if (!size || *size > limit) {
    return resource_exhausted(
        fmt::format("{} x {} pixels of {} channels; limit is {} bytes", header.width, header.height, channels, limit));
  }
  int64_t wanted = 0;
  for (const Pass& pass : passes_of(header)) wanted += pass.bytes(header);
  if (wanted / kMostInflation > static_cast<int64_t>(file.packed.size())) {
    return data_loss(
        fmt::format("{} x {} pixels can't be in {} bytes", header.width, header.height, file.packed.size()));
  }
  std::string raw;
  size_t at = 0;
  const Status done = inflate(file.packed, at, Framing::kZlib, wanted, raw);
  if (!done.ok() && done.code() != StatusCode::kResourceExhausted) return done.with_context("IDAT");
  if (!done.ok() || static_cast<int64_t>(raw.size()) != wanted || at != file.packed.size()) {
    return invalid_argument(fmt::format("IDAT: {} x {} pixels take {} bytes; it holds another number", header.width,
                                        header.height, wanted));
  }
  HILO_ASSIGN_OR_RETURN(Literal picture, Literal::make(Shape::array(type, {header.height, header.width, channels})));
  HILO_RETURN_IF_ERROR(Painter(file, picture).paint(raw));
  return picture;
}

}  // namespace

StatusOr<Literal> parse_png(std::string_view bytes, std::string_view name, int64_t limit) {
  StatusOr<Literal> picture = parse_png(bytes, limit);
  if (!picture.ok()) return picture.status().with_context(name);
  return picture;
}

StatusOr<Literal> read_png(const std::string& path, int64_t limit) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_file(path, [&](std::string_view beginning) -> StatusOr<int64_t> {
                          if (!beginning.starts_with(kPngMagic))
                            return not_this_format("a PNG picture", beginning).with_context(path);
                          return kDefaultFileLimit;
                        }));
  return parse_png(bytes, path, limit);
}

}  // namespace hilo::io
