// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/jpeg.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

#include "hilo/base/files.h"
#include "hilo/io/known_formats.h"

namespace hilo::io {
namespace {

// The part of TurboJPEG's API 2.1 that is used, as documented in its manual.
enum ColourSpace { kGreySpace = 2, kCmykSpace = 3, kYcckSpace = 4 };
enum PixelFormat { kRgbPixels = 0, kGreyPixels = 6 };
constexpr int kAccurate = 4096, kStopOnWarning = 8192, kLimitScans = 32768;

struct TurboJpeg {
  void* (*init_decompress)() = nullptr;
  int (*decompress_header)(void*, const unsigned char*, unsigned long, int*, int*, int*, int*) = nullptr;
  int (*decompress)(void*, const unsigned char*, unsigned long, unsigned char*, int, int, int, int, int) = nullptr;
  char* (*error_text)(void*) = nullptr;
  int (*destroy)(void*) = nullptr;

  bool whole() const {
    return init_decompress != nullptr && decompress_header != nullptr && decompress != nullptr &&
           error_text != nullptr && destroy != nullptr;
  }
};

TurboJpeg open_library() {
  void* handle = ::dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {};
  TurboJpeg found;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
  };
  find(found.init_decompress, "tjInitDecompress");
  find(found.decompress_header, "tjDecompressHeader3");
  find(found.decompress, "tjDecompress2");
  find(found.error_text, "tjGetErrorStr2");
  find(found.destroy, "tjDestroy");
  return found;
}

const TurboJpeg& library() {
  static const TurboJpeg instance = open_library();
  return instance;
}

StatusOr<Literal> parse(std::string_view bytes, int64_t limit) {
  if (!bytes.starts_with("\xff\xd8\xff")) return not_this_format("a JPEG picture", bytes);
  const TurboJpeg& jpeg = library();
  if (!jpeg.whole()) {
    return failed_precondition("JPEG images need libturbojpeg.so.0. Hint: apt-get install libturbojpeg0");
  }
  const std::unique_ptr<void, int (*)(void*)> decoder(jpeg.init_decompress(), jpeg.destroy);
  if (decoder == nullptr) return resource_exhausted("jpeg: out of memory");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, space = 0;
  if (jpeg.decompress_header(decoder.get(), data, bytes.size(), &width, &height, &subsampling, &space) != 0) {
    return data_loss(fmt::format("jpeg: {}", jpeg.error_text(decoder.get())));
  }
  if (space == kCmykSpace || space == kYcckSpace) {
    return invalid_argument("jpeg: CMYK images are not supported. Hint: convert it to RGB");
  }
  const int channels = space == kGreySpace ? 1 : 3;
  const int64_t size = int64_t{width} * height * channels;  // no overflow, because each side is below 2^16
  if (size > limit) {
    return resource_exhausted(
        fmt::format("{} x {} pixels of {} channels; limit is {} bytes", width, height, channels, limit));
  }
  HILO_ASSIGN_OR_RETURN(Literal picture, Literal::make(Shape::array(ElementType::kU8, {height, width, channels})));
  if (jpeg.decompress(decoder.get(), data, bytes.size(), picture.data<uint8_t>().data(), width, width * channels,
                      height, channels == 1 ? kGreyPixels : kRgbPixels,
                      kAccurate | kStopOnWarning | kLimitScans) != 0) {
    return data_loss(fmt::format("jpeg: {}", jpeg.error_text(decoder.get())));
  }
  return picture;
}

}  // namespace

StatusOr<Literal> parse_jpeg(std::string_view bytes, std::string_view name, int64_t limit) {
  StatusOr<Literal> picture = parse(bytes, limit);
  if (!picture.ok()) return picture.status().with_context(name);
  return picture;
}

StatusOr<Literal> read_jpeg(const std::string& path, int64_t limit) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_file(path));
  return parse_jpeg(bytes, path, limit);
}

}  // namespace hilo::io
