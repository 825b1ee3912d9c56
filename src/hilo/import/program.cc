// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/program.h"

#include <fmt/format.h>

#include "hilo/base/files.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/stablehlo/bytecode/reader.h"
#include "hilo/stablehlo/jax_export.h"
#include "hilo/stablehlo/reader.h"

namespace hilo {
namespace {

/// Adds the source to errors whose text does not name a location yet.
StatusOr<hlo::Module> named(StatusOr<hlo::Module> module, const std::string& source) {
  const bool is_named = module.ok() || module.status().message().starts_with(source + ":");
  return is_named ? std::move(module) : module.status().with_context(source);
}

bool is_message_of_hlo(std::string_view bytes) { return !stablehlo::is_bytecode(bytes) && hlo::is_proto(bytes); }

/// Text has no NUL bytes; bytes with one have a binary format.
StatusOr<int64_t> max_program_size(std::string_view beginning) {
  constexpr int64_t kMaxMessageSize = (int64_t{1} << 31) - 1;  // in bytes, for a proto or a flatbuffer
  if (stablehlo::is_bytecode(beginning) || beginning.find('\0') == std::string_view::npos) return kDefaultFileLimit;
  if (hlo::is_proto(beginning) || stablehlo::may_be_jax_export(beginning)) return kMaxMessageSize;
  return invalid_argument(fmt::format(
      "begins with {}; wanted HLO text, a HloModuleProto, MLIR as text or bytecode, or a file of jax.export",
      quote(beginning.substr(0, 8))));
}

}  // namespace

StatusOr<std::string> read_program_bytes(const std::string& path) {
  return read_file(path, [&](std::string_view beginning) -> StatusOr<int64_t> {
    const StatusOr<int64_t> limit = max_program_size(beginning);
    return limit.ok() ? limit : limit.status().with_context(path);
  });
}

bool is_mlir_program(std::string_view bytes) { return !is_message_of_hlo(bytes) && stablehlo::is_mlir(bytes); }

StatusOr<hlo::Module> translated_program(const stablehlo::ModuleTree& tree, const std::string& source,
                                         std::string_view function, std::vector<Shape> arguments) {
  return named(stablehlo::translate(tree, {.function = std::string(function), .arguments = std::move(arguments)}),
               source);
}

namespace {

StatusOr<hlo::Module> parse_any(std::string_view bytes, const std::string& source, std::string_view function,
                                std::vector<Shape> arguments, const ArgumentShapes& shapes) {
  if (is_mlir_program(bytes)) {
    HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(bytes, source));
    if (shapes) {
      StatusOr<stablehlo::EntryTypes> types = stablehlo::entry_types(tree, std::string(function));
      if (!types.ok()) return types.status().with_context(source);
      if (types->is_open()) {
        HILO_ASSIGN_OR_RETURN(arguments, shapes(*types));
      }
    }
    return translated_program(tree, source, function, std::move(arguments));
  }
  const bool is_message = is_message_of_hlo(bytes);
  if (!is_message && stablehlo::is_jax_export(bytes)) {
    HILO_ASSIGN_OR_RETURN(const stablehlo::JaxExport exported, stablehlo::read_jax_export(bytes, source));
    return parse_any(exported.module, source, function, std::move(arguments), shapes);
  }
  if (!function.empty()) return invalid_argument(source + ": a function can be specified for MLIR modules only");
  if (is_message) return named(hlo::from_proto(bytes), source);
  hlo::ParseOptions options;
  options.source = source;
  return hlo::parse_module(bytes, options);
}

}  // namespace

StatusOr<hlo::Module> parse_program(std::string_view bytes, const std::string& source, std::string_view function,
                                    std::vector<Shape> arguments) try {
  return parse_any(bytes, source, function, std::move(arguments), {});
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<hlo::Module> read_program(const std::string& path, std::string_view function,
                                   const ArgumentShapes& shapes) try {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_program_bytes(path));
  return parse_any(bytes, path, function, {}, shapes);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
