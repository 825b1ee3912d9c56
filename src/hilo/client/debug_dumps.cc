// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/debug_dumps.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <regex>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/text.h"
#include "hilo/hlo/graph/dot.h"
#include "hilo/hlo/graph/html.h"
#include "hilo/hlo/text/printer.h"

namespace hilo {
namespace {

std::mutex folder_mutex;  // one file at a time, so that numbers follow the order of events

/// One more than the highest number that a file of the folder begins with.
int64_t next_number(const std::string& folder) {
  int64_t highest = -1;
  DIR* const directory = ::opendir(folder.c_str());
  if (directory == nullptr) return 0;  // writing says what is wrong
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    const std::optional<int64_t> number = parse_int64(name.substr(0, name.find('.')));
    if (number && *number >= 0 && *number < INT64_MAX - 1) highest = std::max(highest, *number);
  }
  ::closedir(directory);
  return highest + 1;
}

void dump(const std::string& folder, std::string_view module, std::string_view stage, std::string_view extension,
          std::string_view content) {
  const StatusOr<std::string> path = write_numbered(folder, module, stage, extension, content);
  if (path.ok()) return;
  log_warning_once("dump " + folder, "no dumps to {}: {}", folder, path.status().to_string());
}

/// Whether the flag's regular expression is found in the name. A bad expression is warned about and matches nothing.
bool matches(const std::string& expression, const std::string& name) {
  try {
    return std::regex_search(name, std::regex(expression));
  } catch (const std::regex_error& error) {
    log_warning_once("graph " + expression, "jax_dump_hlo_graph: {} is no regular expression: {}", quote(expression),
                     error.what());
    return false;
  }
}

}  // namespace

StatusOr<std::string> write_numbered(const std::string& folder, std::string_view module, std::string_view stage,
                                     std::string_view extension, std::string_view content) {
  std::lock_guard lock(folder_mutex);
  HILO_RETURN_IF_ERROR(make_directories(folder));
  const std::string temporary = fmt::format("{}/.{}.part", folder, ::getpid());
  HILO_RETURN_IF_ERROR(write_file_atomic(temporary, content));
  // A hard link, unlike a rename, fails where another process has just taken the name.
  std::string path;
  int error = EEXIST;
  for (int64_t number = next_number(folder); error == EEXIST; ++number) {
    path = fmt::format("{}/{:04}.{}.{}.{}", folder, number, file_stem(module), file_stem(stage), extension);
    error = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  }
  ::unlink(temporary.c_str());
  if (error != 0) return errno_status(error, path);
  return path;
}

CompileOptions compile_options(const FlagValues& flags) {
  CompileOptions options;
  options.generate_hlo_graph = flags.jax_dump_hlo_graph;
  options.dump_unoptimized_hlo_proto_to = flags.jax_dump_hlo_unoptimized;
  options.dump_optimized_hlo_proto_to = flags.jax_dump_hlo_optimized;
  options.dump_per_pass_hlo_proto_to = flags.jax_dump_hlo_per_pass;
  options.hlo_profile = flags.jax_hlo_profile;
  options.replica_count = flags.jax_replica_count;
  return options;
}

bool wants_dumps(const CompileOptions& options) {
  return options.generate_hlo_graph || options.dump_unoptimized_hlo_proto_to || options.dump_optimized_hlo_proto_to ||
         options.dump_per_pass_hlo_proto_to;
}

DebugDumps::DebugDumps(const CompileOptions& options, const hlo::Module& module)
    : options_(options), name_(module.name.empty() ? "module" : module.name), progress_(name_) {
  draw_ = options_.generate_hlo_graph && matches(*options_.generate_hlo_graph, name_);
  if (module.entry == nullptr) return;  // the backend says so
  if (const auto& folder = options_.dump_unoptimized_hlo_proto_to) {
    dump(*folder + "/hlo_unoptimized", name_, "unoptimized", "hlo", hlo::print_module(module));
  }
  if (draw_) write_graph(module, "unoptimized");
}

void DebugDumps::before(std::string_view pass, const hlo::Module&) { progress_.set_stage(pass); }

void DebugDumps::after(std::string_view pass, const hlo::Module& module, bool changed, double) {
  progress_.set_stage("code generation");
  const auto& folder = options_.dump_per_pass_hlo_proto_to;
  if (folder && changed) dump(*folder + "/hlo_per_pass", name_, pass, "hlo", hlo::print_module(module));
}

void DebugDumps::finish(const hlo::Module& optimized) {
  if (const auto& folder = options_.dump_optimized_hlo_proto_to) {
    dump(*folder + "/hlo_optimized", name_, "optimized", "hlo", hlo::print_module(optimized));
  }
  if (draw_) write_graph(optimized, "optimized");
}

void DebugDumps::write_graph(const hlo::Module& module, std::string_view stage) const {
  std::string folder = ".";
  for (const auto& named : {options_.dump_unoptimized_hlo_proto_to, options_.dump_optimized_hlo_proto_to,
                            options_.dump_per_pass_hlo_proto_to}) {
    if (named && folder == ".") folder = *named;
  }
  folder += "/hlo_graph";
  dump(folder, name_, stage, "dot", hlo::dot_graph(module));
  dump(folder, name_, stage, "html", hlo::html_graph(module, fmt::format("{}, {}", name_, stage)));
}

}  // namespace hilo
