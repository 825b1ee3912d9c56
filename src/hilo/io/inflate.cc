// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/inflate.h"

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
  bool start(Framing framing) { return ::inflateInit2(&stream, static_cast<int>(framing)) == Z_OK; }

  z_stream stream = {};
};

Status damaged(const z_stream& stream, size_t at) {
  return data_loss(fmt::format("byte {}: {}", at, stream.msg != nullptr ? stream.msg : "damaged"));
}

}  // namespace

Status inflate(std::string_view bytes, size_t& at, Framing framing, int64_t limit, std::string& out) {
  constexpr size_t kPiece = size_t{256} << 10;  // bytes decompressed at a time
  Inflater inflater;
  if (!inflater.start(framing)) return resource_exhausted("out of memory");
  z_stream& stream = inflater.stream;
  size_t given = at;  // number of input bytes passed to zlib
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
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(before + kPiece - stream.avail_out);
    at = given - stream.avail_in;
    if (out.size() > static_cast<size_t>(limit)) {
      return resource_exhausted(fmt::format("expands to more than {} bytes; file has {}", limit, bytes.size()));
    }
    if (result == Z_STREAM_END) return ok_status();
    if (result == Z_BUF_ERROR && at == bytes.size()) {
      return data_loss(fmt::format("ends at byte {}, within the data", at));
    }
    if (result != Z_OK && result != Z_BUF_ERROR) return damaged(stream, at);
  }
}

}  // namespace hilo::io
