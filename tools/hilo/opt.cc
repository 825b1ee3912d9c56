// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/pass_list.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/import/program.h"
#include "tools/hilo/arguments.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

struct OptOptions {
  std::string file, output;
  std::string passes;
  std::vector<std::string> shapes;
};

std::string pass_names(std::span<const hlo::PassEntry> passes) {
  std::string text;
  for (const hlo::PassEntry& pass : passes) text += (text.empty() ? "" : ",") + std::string(pass.name);
  return text;
}

Status optimise(const OptOptions& options, bool passes_given) {
  std::vector<hlo::PassEntry> passes(hlo::default_pipeline().begin(), hlo::default_pipeline().end());
  if (passes_given) {
    HILO_ASSIGN_OR_RETURN(passes, hlo::parse_pass_list(options.passes));
  }
  HILO_ASSIGN_OR_RETURN(hlo::Module module,
                        read_program(options.file, {}, argument_shapes({.shapes = options.shapes})));
  hlo::DriverOptions driver;
  driver.verify = true;
  HILO_RETURN_IF_ERROR(hlo::run_passes(module, passes, driver).status());
  return write_result(options.output, hlo::print_module(module));
}

}  // namespace

Command add_opt(CLI::App& parent) {
  auto options = std::make_shared<OptOptions>();
  CLI::App* app = parent.add_subcommand("opt", "Run passes over a program and print the result");
  app->add_option("FILE", options->file, "HLO text, HloModuleProto, or StableHLO as text or bytecode")->required();
  const CLI::Option* passes = app->add_option("--passes", options->passes,
                                              "Names of passes, separated by commas. Default: the passes of the engine")
                                  ->type_name("A,B");
  add_shape_option(*app, options->shapes);
  app->add_option("-o,--output", options->output, "Write to this file. Default: stdout")->type_name("FILE");
  app->footer("Passes: " + pass_names(hlo::all_passes()) + "\nDefault: " + pass_names(hlo::default_pipeline()));
  return {app, [options, passes] { return optimise(*options, passes->count() > 0); }};
}

}  // namespace hilo::tool
