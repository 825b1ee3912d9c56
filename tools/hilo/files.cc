// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "hilo/base/files.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/text/parser.h"
#include "tools/hilo/command.h"

namespace hilo::tool {

StatusOr<hlo::Module> read_program(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string text, read_file(path));
  if (hlo::is_proto(text)) {
    StatusOr<hlo::Module> module = hlo::from_proto(text);
    return module.ok() ? std::move(module) : module.status().with_context(path);
  }
  hlo::ParseOptions options;
  options.source = path;
  return hlo::parse_module(text, options);
}

Status write_result(const std::string& path, std::string_view text) {
  if (!path.empty()) return write_file_atomic(path, text);
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0 || written != text.size()) return errno_status(errno, "stdout");
  return ok_status();
}

}  // namespace hilo::tool
