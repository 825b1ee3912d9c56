// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/base/text.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

Status write_stdout(std::string_view text) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0 || written != text.size()) return errno_status(errno, "stdout");
  return ok_status();
}

}  // namespace

Status choose_engine(const std::string& engine) {
  if (engine.empty()) return ok_status();
  return config().set("jax_platform_name", engine == "reference" ? "Reference" : "Host");
}

Status write_result(const std::string& path, std::string_view text) {
  if (!path.empty()) return write_file_atomic(path, text);
  return ::isatty(STDOUT_FILENO) == 1 ? write_stdout(printable(text)) : write_stdout(text);
}

}  // namespace hilo::tool
