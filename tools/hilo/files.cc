// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate.h"
#include "tools/hilo/command.h"

namespace hilo::tool {

StatusOr<hlo::Module> read_program(const std::string& path, std::string_view function) {
  HILO_ASSIGN_OR_RETURN(const std::string text, read_file(path));
  if (stablehlo::is_mlir(text)) {
    HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(text, path));
    StatusOr<hlo::Module> module = stablehlo::translate(tree, {.function = std::string(function)});
    return module.ok() ? std::move(module) : module.status().with_context(path);
  }
  if (!function.empty()) return invalid_argument(path + ": --function is for modules of MLIR");
  if (hlo::is_proto(text)) {
    StatusOr<hlo::Module> module = hlo::from_proto(text);
    return module.ok() ? std::move(module) : module.status().with_context(path);
  }
  hlo::ParseOptions options;
  options.source = path;
  return hlo::parse_module(text, options);
}

Status choose_engine(const std::string& engine) {
  if (engine.empty()) return ok_status();
  return config().update("jax_platform_name", engine == "reference" ? "Reference" : "Host");
}

Status write_result(const std::string& path, std::string_view text) {
  if (!path.empty()) return write_file_atomic(path, text);
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0 || written != text.size()) return errno_status(errno, "stdout");
  return ok_status();
}

}  // namespace hilo::tool
