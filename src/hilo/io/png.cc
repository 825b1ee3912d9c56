// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/png.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/io/known_formats.h"
#include "hilo/types/checked.h"

namespace hilo::io {
namespace {

// The functions of libpng that are used. The library is opened when the first image is read or written.
#define HILO_PNG_FUNCTIONS(FUNCTION)    \
  FUNCTION(get_error_ptr)               \
  FUNCTION(create_write_struct)         \
  FUNCTION(create_read_struct)          \
  FUNCTION(create_info_struct)          \
  FUNCTION(set_user_limits)             \
  FUNCTION(destroy_write_struct)        \
  FUNCTION(destroy_read_struct)         \
  FUNCTION(get_io_ptr)                  \
  FUNCTION(get_PLTE)                    \
  FUNCTION(get_tRNS)                    \
  FUNCTION(get_rowbytes)                \
  FUNCTION(read_image)                  \
  FUNCTION(read_end)                    \
  FUNCTION(set_read_fn)                 \
  FUNCTION(set_crc_action)              \
  FUNCTION(set_keep_unknown_chunks)     \
  FUNCTION(set_benign_errors)           \
  FUNCTION(set_check_for_invalid_index) \
  FUNCTION(read_info)                   \
  FUNCTION(get_IHDR)                    \
  FUNCTION(get_valid)                   \
  FUNCTION(get_channels)                \
  FUNCTION(set_interlace_handling)      \
  FUNCTION(set_packing)                 \
  FUNCTION(set_expand)                  \
  FUNCTION(set_swap)                    \
  FUNCTION(read_update_info)            \
  FUNCTION(set_write_fn)                \
  FUNCTION(set_filter)                  \
  FUNCTION(set_IHDR)                    \
  FUNCTION(write_info)                  \
  FUNCTION(write_row)                   \
  FUNCTION(write_end)

struct Libpng {
#define HILO_PNG_POINTER(name) decltype(&::png_##name) name = nullptr;
  HILO_PNG_FUNCTIONS(HILO_PNG_POINTER)
#undef HILO_PNG_POINTER
  bool whole = true;
};

Libpng open_library() {
  Libpng found;
  void* const handle = ::dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
#define HILO_PNG_FIND(name)                                                                                         \
  found.name = handle == nullptr ? nullptr : reinterpret_cast<decltype(found.name)>(::dlsym(handle, "png_" #name)); \
  found.whole = found.whole && found.name != nullptr;
  HILO_PNG_FUNCTIONS(HILO_PNG_FIND)
#undef HILO_PNG_FIND
  return found;
}

const Libpng& library() {
  static const Libpng instance = open_library();
  return instance;
}

Status check_library() {
  if (library().whole) return ok_status();
  return failed_precondition("PNG images need libpng16.so.16. Hint: apt-get install libpng16-16");
}

constexpr std::string_view kPngMagic("\x89PNG\r\n\x1a\n", 8);
constexpr int64_t kMaxInflation = 1032;  // maximum compression ratio of deflate

/// The exception that libpng's error callback throws, because it must not return.
struct PngFailure {
  Status status;
};

/// Returns whether libpng's message reports damaged data (a checksum of chunks or of compressed rows) rather than an
/// invalid file.
bool is_damage(std::string_view message) {
  const auto says = [&](std::string_view part) { return message.find(part) != std::string_view::npos; };
  return says("CRC error") || says("incorrect data check") || says("invalid distance") || says("invalid code") ||
         says("invalid block") || says("invalid stored") || says("invalid literal") || says("incorrect header check") ||
         says("Not enough image data");
}

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  const auto* const warning = static_cast<const std::string*>(library().get_error_ptr(png));
  std::string text = message;
  if (!warning->empty()) text += " (" + *warning + ")";
  throw PngFailure{is_damage(text) ? data_loss(text) : invalid_argument(text)};
}

void on_warning(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(library().get_error_ptr(png)) = message;
}

/// libpng's state for reading or writing one file.
class PngFile {
 public:
  explicit PngFile(bool writes)
      : writes_(writes),
        png_((writes ? library().create_write_struct : library().create_read_struct)(PNG_LIBPNG_VER_STRING, &warning_,
                                                                                     on_error, on_warning)),
        info_(png_ == nullptr ? nullptr : library().create_info_struct(png_)) {
    if (info_ == nullptr) throw std::bad_alloc();
    library().set_user_limits(png_, INT32_MAX, INT32_MAX);
  }
  ~PngFile() {
    writes_ ? library().destroy_write_struct(&png_, &info_) : library().destroy_read_struct(&png_, &info_, nullptr);
  }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;
  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

 private:
  const bool writes_;
  std::string warning_;  // last warning
  png_structp png_;
  png_infop info_;
};

Status check(int64_t width, int64_t height, int64_t channels, size_t bytes) {
  constexpr int64_t kMax = INT32_MAX;  // maximum size in the PNG format
  if (width < 1 || height < 1 || width > kMax || height > kMax) {
    return invalid_argument(fmt::format("png: got size {} x {}; wanted 1 to {} for both", width, height, kMax));
  }
  if (channels < 1 || channels > 4) {
    return invalid_argument(
        fmt::format("png: {} channels; wanted 1 (grey), 3 (red, green, blue), 2 or 4 (the same with alpha)", channels));
  }
  const std::optional<int64_t> wanted = checked_mul(width * channels, height);
  if (!wanted || *wanted != static_cast<int64_t>(bytes)) {
    return invalid_argument(
        fmt::format("png: {} x {} pixels of {} bytes; got {} bytes", width, height, channels, bytes));
  }
  return ok_status();
}

void take_bytes(png_structp png, png_bytep out, size_t count) {
  auto& rest = *static_cast<std::string_view*>(library().get_io_ptr(png));
  if (count > rest.size()) throw PngFailure{data_loss("the file ends within a chunk")};
  std::memcpy(out, rest.data(), count);
  rest.remove_prefix(count);
}

void append_bytes(png_structp png, png_bytep bytes, size_t count) {
  static_cast<std::string*>(library().get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), count);
}

/// Replaces the palette index of each pixel by its colour.
/// Errors    INVALID_ARGUMENT for an index outside the palette
Status paint_palette(const PngFile& file, std::span<const uint8_t> indices, int64_t width, int64_t channels,
                     std::span<uint8_t> out) {
  png_colorp colours = nullptr;
  png_bytep alpha = nullptr;
  int count = 0, alphas = 0;
  library().get_PLTE(file.png(), file.info(), &colours, &count);
  library().get_tRNS(file.png(), file.info(), &alpha, &alphas, nullptr);
  for (size_t i = 0; i < indices.size(); ++i) {
    const int index = indices[i];
    if (index >= count) {
      const int64_t at = i;
      return invalid_argument(fmt::format("pixel ({}, {}) has colour {} of {}", at % width, at / width, index, count));
    }
    uint8_t* const pixel = out.data() + i * static_cast<size_t>(channels);
    pixel[0] = colours[index].red, pixel[1] = colours[index].green, pixel[2] = colours[index].blue;
    if (channels == 4) pixel[3] = index < alphas ? alpha[index] : 255;
  }
  return ok_status();
}

/// Reads the rows of an image into `bytes`.
void read_rows(const PngFile& file, std::span<uint8_t> bytes, size_t height) {
  std::vector<png_bytep> rows(height);
  const size_t row = library().get_rowbytes(file.png(), file.info());
  for (size_t y = 0; y < height; ++y) rows[y] = bytes.data() + y * row;
  library().read_image(file.png(), rows.data());
  library().read_end(file.png(), nullptr);
}

StatusOr<Literal> parse(std::string_view bytes, int64_t limit) {
  if (!bytes.starts_with(kPngMagic)) return not_this_format("a PNG picture", bytes);
  HILO_RETURN_IF_ERROR(check_library());
  const PngFile file(/*writes=*/false);
  png_structp const png = file.png();
  std::string_view rest = bytes;
  library().set_read_fn(png, &rest, take_bytes);
  library().set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  library().set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // skip chunks that don't affect pixels
  library().set_benign_errors(png, 0);
  library().set_check_for_invalid_index(png, 0);  // paint_palette reports the pixel instead
  library().read_info(png, file.info());
  png_uint_32 width = 0, height = 0;
  int bits = 0, colour = 0;
  library().get_IHDR(png, file.info(), &width, &height, &bits, &colour, nullptr, nullptr, nullptr);
  const bool has_palette = colour == PNG_COLOR_TYPE_PALETTE;
  const bool gets_alpha =
      library().get_valid(png, file.info(), PNG_INFO_tRNS) != 0 && (colour & PNG_COLOR_MASK_ALPHA) == 0;
  const int64_t channels = (has_palette ? 3 : library().get_channels(png, file.info())) + (gets_alpha ? 1 : 0);
  const ElementType type = bits == 16 ? ElementType::kU16 : ElementType::kU8;
  // Each size is below 2^31 and the remaining factors are at most 8 bytes, so no product overflows.
  const std::optional<int64_t> size =
      checked_mul(int64_t{width} * int64_t{height}, channels * element_size_bytes(type));
  if (!size || *size > limit) {
    return resource_exhausted(
        fmt::format("{} x {} pixels of {} channels; limit is {} bytes", width, height, channels, limit));
  }
  const int64_t packed_row = library().get_rowbytes(png, file.info());
  if (packed_row * int64_t{height} / kMaxInflation > std::ssize(bytes))
    return data_loss(fmt::format("{} x {} pixels can't be encoded in {} bytes", width, height, bytes.size()));
  library().set_interlace_handling(png);
  if (has_palette) library().set_packing(png);
  else library().set_expand(png);
  if (bits == 16) library().set_swap(png);
  library().read_update_info(png, file.info());
  HILO_ASSIGN_OR_RETURN(Literal picture, Literal::make(Shape::array(type, {height, width, channels})));
  const std::span<uint8_t> out(reinterpret_cast<uint8_t*>(picture.mutable_bytes().data()), static_cast<size_t>(*size));
  if (has_palette) {
    std::vector<uint8_t> indices(size_t{width} * height);
    read_rows(file, indices, height);
    HILO_RETURN_IF_ERROR(paint_palette(file, indices, width, channels, out));
  } else {
    read_rows(file, out, height);
  }
  if (!rest.empty()) return invalid_argument(fmt::format("byte {}: bytes after the end", bytes.size() - rest.size()));
  return picture;
}

}  // namespace

StatusOr<std::string> png_bytes(int64_t width, int64_t height, int64_t channels, std::span<const uint8_t> pixels) try {
  HILO_RETURN_IF_ERROR(check(width, height, channels, pixels.size()));
  HILO_RETURN_IF_ERROR(check_library());
  constexpr std::array<int, 4> kColourTypes = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                               PNG_COLOR_TYPE_RGB_ALPHA};
  const PngFile file(/*writes=*/true);
  std::string out;
  library().set_write_fn(file.png(), &out, append_bytes, nullptr);
  library().set_filter(file.png(), 0, PNG_FILTER_NONE);  // choosing filters takes three times as long as compressing
  library().set_IHDR(file.png(), file.info(), static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8,
                     kColourTypes[channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
  library().write_info(file.png(), file.info());
  const size_t row = width * channels;
  for (size_t at = 0; at < pixels.size(); at += row) library().write_row(file.png(), pixels.data() + at);
  library().write_end(file.png(), nullptr);
  return out;
} catch (const PngFailure& failure) {
  return failure.status.with_context("png");
}

Status write_png(const std::string& path, int64_t width, int64_t height, int64_t channels,
                 std::span<const uint8_t> pixels) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, png_bytes(width, height, channels, pixels));
  return write_file_atomic(path, bytes);
}

Status write_png(const std::string& path, const Literal& pixels) {
  const Shape& shape = pixels.shape();
  if (!shape.is_array() || shape.element_type() != ElementType::kU8 || (shape.rank() != 2 && shape.rank() != 3)) {
    return invalid_argument(
        fmt::format("png: got {}; wanted u8[height, width] or u8[height, width, channels]", shape.to_string()));
  }
  return write_png(path, shape.dimension(1), shape.dimension(0), shape.rank() == 3 ? shape.dimension(2) : 1,
                   pixels.data<uint8_t>());
}

StatusOr<Literal> parse_png(std::string_view bytes, std::string_view name, int64_t limit) try {
  StatusOr<Literal> picture = parse(bytes, limit);
  if (!picture.ok()) return picture.status().with_context(name);
  return picture;
} catch (const PngFailure& failure) {
  return failure.status.with_context(name);
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
