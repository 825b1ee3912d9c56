// SPDX-License-Identifier: Apache-2.0
// tools/hilo/plan.cc -- `hilo plan`, `hilo compile`, `hilo cache`: compiled programs as text, as files, and in the disk
// cache.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <memory>

#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/base/files.h"
#include "hilo/client/disk_cache.h"
#include "hilo/client/local_computation.h"
#include "hilo/engine/plan_text.h"
#include "hilo/import/program.h"
#include "tools/hilo/arguments.h"
#include "tools/hilo/command.h"
#include "tools/hilo/jax_flags.h"
#include "tools/hilo/object.h"

namespace hilo::tool {
namespace {

struct FileOptions {
  std::string file, function, output;
  std::vector<std::string> shapes;
};

StatusOr<std::string> saved_bytes(const FileOptions& options) {
  HILO_ASSIGN_OR_RETURN(const std::optional<std::string> saved, cpu::read_saved(options.file));
  if (saved) return *saved;
  HILO_ASSIGN_OR_RETURN(hlo::Module module,
                        read_program(options.file, options.function, argument_shapes({.shapes = options.shapes})));
  HILO_ASSIGN_OR_RETURN(const LocalComputation computation, compile_under_flags(std::move(module)));
  return computation.executable()->serialize();
}

Status print_plan(const FileOptions& options) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, saved_bytes(options));
  HILO_ASSIGN_OR_RETURN(const cpu::SavedProgram program, cpu::read_program(bytes));
  return write_result(options.output, engine::plan_text(program.plan));
}

Status save(const FileOptions& options) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, saved_bytes(options));
  return write_file_atomic(options.output, bytes);
}

Status show_cache(bool clear) {
  HILO_ASSIGN_OR_RETURN(DiskCache* const cache, disk_cache());
  if (cache == nullptr) return write_result("", "no cache: HILO_CACHE is off, or the home folder is unknown\n");
  if (clear) {
    HILO_ASSIGN_OR_RETURN(const int64_t removed, cache->clear());
    return write_result("", fmt::format("{}: {} files removed\n", cache->folder(), removed));
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<DiskCache::Entry> entries, cache->entries());
  std::string text;
  int64_t bytes = 0;
  for (const DiskCache::Entry& entry : entries) {
    text += fmt::format("{:%Y-%m-%d %H:%M} {:>10} {} {}\n", fmt::gmtime(entry.last_used), entry.bytes, entry.file,
                        entry.program);
    bytes += entry.bytes;
  }
  return write_result("", text + fmt::format("{}: {} programs, {} bytes\n", cache->folder(), entries.size(), bytes));
}

CLI::App* add_file_command(CLI::App& parent, const std::string& name, const std::string& what,
                           const std::shared_ptr<FileOptions>& options) {
  CLI::App* app = parent.add_subcommand(name, what);
  app->add_option("FILE", options->file, "HLO text, HloModuleProto, StableHLO, or a file of `hilo compile`")
      ->required();
  app->add_option("--function", options->function,
                  "Function of an MLIR module. Default: main, or the only public function")
      ->type_name("NAME");
  add_shape_option(*app, options->shapes);
  add_jax_flags(*app);
  return app;
}

}  // namespace

Command add_plan(CLI::App& parent) {
  auto options = std::make_shared<FileOptions>();
  CLI::App* app = add_file_command(parent, "plan", "Print the plan of a program: steps, slots, code", options);
  app->add_option("-o,--output", options->output, "Write to this file. Default: stdout")->type_name("FILE");
  return {app, [options] { return print_plan(*options); }};
}

Command add_compile(CLI::App& parent) {
  struct CompileOptions {
    std::shared_ptr<FileOptions> file = std::make_shared<FileOptions>();
    std::string to = "program";
    ArgumentOptions arguments;
    ObjectCommand object;
  };
  auto options = std::make_shared<CompileOptions>();
  CLI::App* app = add_file_command(parent, "compile",
                                   "Compile a program to a file that `hilo run` starts without compiling, or to an "
                                   "object file that a C program links",
                                   options->file);
  app->add_option("-o,--output", options->file->output,
                  "Write to this file; with --to object, to the files with .o, .h and .json appended")
      ->type_name("FILE")
      ->required();
  app->add_option("--to", options->to, "What to write: program, for `hilo run`, or object, for a C compiler")
      ->check(CLI::IsMember({"program", "object"}));
  add_object_options(*app, options->object);
  add_value_options(*app, options->arguments);
  return {app, [options] {
            const FileOptions& file = *options->file;
            if (options->to != "object") {
              HILO_RETURN_IF_ERROR(refuse_object_options(options->arguments, options->object));
              return save(file);
            }
            options->arguments.shapes = file.shapes;
            return write_object(file.file, file.function, file.output, options->arguments, options->object);
          }};
}

Command add_cache(CLI::App& parent) {
  auto clear = std::make_shared<bool>(false);
  CLI::App* app = parent.add_subcommand("cache", "List the compiled programs in the disk cache that processes share");
  app->add_flag("--clear", *clear, "Delete all of them");
  add_jax_flags(*app);
  return {app, [clear] { return show_cache(*clear); }};
}

}  // namespace hilo::tool
