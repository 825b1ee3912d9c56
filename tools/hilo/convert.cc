// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "hilo/client/platforms.h"
#include "hilo/import/program.h"
#include "hilo/import/write_program.h"
#include "hilo/inspect/graph/dot.h"
#include "hilo/inspect/graph/html.h"
#include "hilo/inspect/graph/svg.h"
#include "hilo/inspect/graph/unit_groups.h"
#include "tools/hilo/arguments.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

struct ConvertOptions {
  std::string file, output;
  std::string to;
  std::vector<std::string> shapes;
  bool compiled = false;
};

StatusOr<std::string> converted(const hlo::Module& module, std::string_view to,
                                std::span<const hlo::InstructionGroup> groups) {
  if (const std::optional<ProgramFormat> format = program_format(to)) return write_program(module, *format);
  if (to == "dot") return hlo::dot_graph(module, groups);
  if (to == "svg") return hlo::svg_graph(module, groups);
  return hlo::html_graph(module, module.name, groups);
}

Status convert(const ConvertOptions& options) {
  HILO_ASSIGN_OR_RETURN(const hlo::Module module,
                        read_program(options.file, {}, argument_shapes({.shapes = options.shapes})));
  std::unique_ptr<Executable> executable;
  if (options.compiled) {
    HILO_ASSIGN_OR_RETURN(const ClientPtr client, make_platform_client("Host", {}));
    HILO_ASSIGN_OR_RETURN(executable, client->compile(module, {}, nullptr));
  }
  HILO_ASSIGN_OR_RETURN(const std::string text, executable == nullptr ? converted(module, options.to, {})
                                                                      : converted(*executable->optimized_module(),
                                                                                  options.to, groups_of(*executable)));
  return write_result(options.output, text);
}

}  // namespace

Command add_convert(CLI::App& parent) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* app = parent.add_subcommand("convert", "Convert a program to another format");
  app->add_option("FILE", options->file, "HLO text, HloModuleProto, or StableHLO as text or bytecode")->required();
  app->add_option("--to", options->to,
                  "Format: hlo, proto (HloModuleProto), stablehlo (MLIR text), bytecode (portable artefact of "
                  "StableHLO), dot (for Graphviz), html (interactive picture in one page) or svg (static picture)")
      ->required()
      ->check(CLI::IsMember({"hlo", "proto", "stablehlo", "bytecode", "dot", "html", "svg"}));
  app->add_flag("--compiled", options->compiled,
                "Convert the program as the CPU engine runs it, after all passes. Pictures show the fused ops");
  add_shape_option(*app, options->shapes);
  app->add_option("-o,--output", options->output, "Write to this file. Default: stdout")->type_name("FILE");
  return {app, [options] { return convert(*options); }};
}

}  // namespace hilo::tool
