// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/saved.h"

#include <filesystem>

#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/base/files.h"

namespace hilo::tool {

StatusOr<std::optional<std::string>> read_saved(const std::string& path) {
  // A pipe is read once, by who reads programs.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::optional<std::string>();
  HILO_ASSIGN_OR_RETURN(std::string bytes, read_file(path));
  if (!cpu::is_saved_program(bytes)) return std::optional<std::string>();
  return std::optional(std::move(bytes));
}

}  // namespace hilo::tool
