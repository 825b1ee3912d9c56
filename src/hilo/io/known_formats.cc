// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/known_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hilo/base/text.h"

namespace hilo::io {
namespace {

struct Format {
  std::string_view magic;
  std::string_view what;
  std::string_view instead;  // hint for formats that hilo doesn't read
};

constexpr std::string_view kFromPandas = "write it as csv, or its columns with numpy.savez";
constexpr std::array<Format, 11> kFormats = {{
    {"PAR1", "a Parquet file", kFromPandas},
    {"ARROW1", "an Arrow file", kFromPandas},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", "write its arrays with numpy.savez or safetensors"},
    {"\x80\x02", "a Python pickle", "hilo never unpickles; write arrays with numpy.savez or safetensors"},
    {"\x80\x03", "a Python pickle", "hilo never unpickles; write arrays with numpy.savez or safetensors"},
    {"\x80\x04", "a Python pickle", "hilo never unpickles; write arrays with numpy.savez or safetensors"},
    {"\x93NUMPY", "an .npy file", ""},
    {"PK\x03\x04", "a zip file, as .npz is", ""},
    {"\x89PNG\r\n\x1a\n", "a PNG picture", ""},
    {"\xff\xd8\xff", "a JPEG picture", ""},
    {"\x1f\x8b", "a gzip file", ""},
}};

const Format* find(std::string_view bytes) {
  const auto* found = std::ranges::find_if(kFormats, [&](const Format& f) { return bytes.starts_with(f.magic); });
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace

std::string_view known_format(std::string_view bytes) {
  const Format* format = find(bytes);
  return format == nullptr ? std::string_view() : format->what;
}

Status not_this_format(std::string_view wanted, std::string_view bytes) {
  const Format* format = find(bytes);
  if (format != nullptr && !format->instead.empty()) {
    return unimplemented(
        fmt::format("{}, which hilo doesn't read; wanted {}. Hint: {}", format->what, wanted, format->instead));
  }
  if (format != nullptr) return invalid_argument(fmt::format("{}; wanted {}", format->what, wanted));
  return invalid_argument(fmt::format("not {}; first bytes {}", wanted, quote(bytes.substr(0, 6))));
}

}  // namespace hilo::io
