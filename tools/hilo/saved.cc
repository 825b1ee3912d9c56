// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/saved.h"

#include <filesystem>
#include <fstream>

#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/base/files.h"

namespace hilo::tool {

StatusOr<std::optional<std::string>> read_saved(const std::string& path) {
  // A pipe can be read only once, and the reader of programs does that.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::optional<std::string>();
  std::string beginning(64, '\0');  // other files are read by the reader of programs
  std::ifstream(path, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  if (!cpu::is_saved_program(beginning)) return std::optional<std::string>();
  HILO_ASSIGN_OR_RETURN(std::string bytes, read_file(path));
  return std::optional(std::move(bytes));
}

}  // namespace hilo::tool
