// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <climits>

namespace hilo::io {
namespace {

// Owns zlib's state.
class Inflater {
 public:
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { ::inflateEnd(&stream); }
  bool start() { return ::inflateInit2(&stream, 15 + 16) == Z_OK; }  // the largest window, gzip framing only

  z_stream stream = {};
};

Status damaged(const z_stream& stream, size_t at) {
  return data_loss(fmt::format("gzip: byte {}: {}", at, stream.msg != nullptr ? stream.msg : "damaged"));
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

StatusOr<std::string> gunzip(std::string_view bytes, int64_t limit) {
  constexpr size_t kPiece = size_t{256} << 10;  // bytes unpacked at a time
  Inflater inflater;
  if (!inflater.start()) return resource_exhausted("gzip: out of memory");
  z_stream& stream = inflater.stream;
  std::string out;
  size_t given = 0;  // bytes of the input that zlib has been shown
  int result = Z_OK;
  while (true) {
    if (stream.avail_in == 0 && given < bytes.size()) {
      const size_t piece = std::min<size_t>(bytes.size() - given, INT_MAX);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + given));
      stream.avail_in = static_cast<uInt>(piece);
      given += piece;
    }
    const size_t before = out.size();
    out.resize(before + kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(kPiece);
    result = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(before + kPiece - stream.avail_out);
    if (out.size() > static_cast<size_t>(limit)) {
      return resource_exhausted(fmt::format("gzip: holds more than {} bytes; file has {}", limit, bytes.size()));
    }
    const size_t used = given - stream.avail_in;
    if (result == Z_STREAM_END) {
      if (used == bytes.size()) return out;
      if (!is_gzip(bytes.substr(used))) return data_loss(fmt::format("gzip: byte {}: bytes after the end", used));
      if (::inflateReset(&stream) != Z_OK) return damaged(stream, used);
    } else if (result == Z_BUF_ERROR && used == bytes.size()) {
      return data_loss(fmt::format("gzip: ends at byte {}, within the data", used));
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return damaged(stream, used);
    }
  }
}

}  // namespace hilo::io
