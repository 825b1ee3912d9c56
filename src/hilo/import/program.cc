// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/program.h"

#include "hilo/base/files.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/stablehlo/jax_export.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate.h"

namespace hilo {
namespace {

StatusOr<hlo::Module> named(StatusOr<hlo::Module> module, const std::string& source) {
  return module.ok() ? std::move(module) : module.status().with_context(source);
}

}  // namespace

StatusOr<hlo::Module> parse_program(std::string_view bytes, const std::string& source, std::string_view function,
                                    std::vector<Shape> arguments) try {
  if (stablehlo::is_mlir(bytes)) {
    HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(bytes, source));
    return named(stablehlo::translate(tree, {.function = std::string(function), .arguments = std::move(arguments)}),
                 source);
  }
  if (stablehlo::is_jax_export(bytes)) {
    HILO_ASSIGN_OR_RETURN(const stablehlo::JaxExport exported, stablehlo::read_jax_export(bytes, source));
    return parse_program(exported.module, source, function, std::move(arguments));
  }
  if (!function.empty()) return invalid_argument(source + ": a function can be chosen in modules of MLIR only");
  if (hlo::is_proto(bytes)) return named(hlo::from_proto(bytes), source);
  hlo::ParseOptions options;
  options.source = source;
  return hlo::parse_module(bytes, options);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<hlo::Module> read_program(const std::string& path, std::string_view function) try {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_file(path));
  return parse_program(bytes, path, function);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
