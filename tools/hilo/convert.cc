// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "hilo/hlo/graph/dot.h"
#include "hilo/hlo/graph/html.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/printer.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

struct ConvertOptions {
  std::string file, output;
  std::string to;
};

StatusOr<std::string> converted(const hlo::Module& module, std::string_view to) {
  if (to == "hlo") return hlo::print_module(module);
  if (to == "proto") return hlo::to_proto(module);
  if (to == "dot") return hlo::dot_graph(module);
  return hlo::html_graph(module, module.name);
}

Status convert(const ConvertOptions& options) {
  HILO_ASSIGN_OR_RETURN(const hlo::Module module, read_program(options.file));
  HILO_ASSIGN_OR_RETURN(const std::string text, converted(module, options.to));
  return write_result(options.output, text);
}

}  // namespace

Command add_convert(CLI::App& parent) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* app = parent.add_subcommand("convert", "Print a program in another form");
  app->add_option("FILE", options->file, "HLO text or HloModuleProto")->required();
  app->add_option("--to", options->to,
                  "hlo, proto (HloModuleProto), dot (for Graphviz) or html (a picture in one page)")
      ->required()
      ->check(CLI::IsMember({"hlo", "proto", "dot", "html"}));
  app->add_option("-o,--output", options->output, "Write there instead of stdout")->type_name("FILE");
  return {app, [options] { return convert(*options); }};
}

}  // namespace hilo::tool
