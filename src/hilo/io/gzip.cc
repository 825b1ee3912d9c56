// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/gzip.h"

#include <fmt/format.h>

#include "hilo/io/inflate.h"

namespace hilo::io {

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

StatusOr<std::string> gunzip(std::string_view bytes, int64_t limit) {
  std::string out;
  size_t at = 0;
  while (true) {
    if (const Status done = inflate(bytes, at, Framing::kGzip, limit, out); !done.ok())
      return done.with_context("gzip");
    if (at == bytes.size()) return out;
    if (!is_gzip(bytes.substr(at))) return data_loss(fmt::format("gzip: byte {}: extra bytes after the end", at));
  }
}

}  // namespace hilo::io
