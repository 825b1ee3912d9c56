// SPDX-License-Identifier: Apache-2.0
// tests/interop/compile_for_gpu.cc -- compiles StableHLO programs with hilo and XLA's CUDA plugin, for a GPU that
// needn't exist.
// Usage: compile_for_gpu PLUGIN.so TARGET FILE..., where TARGET is a file with XLA's text of GpuTargetConfigProto.
// Prints "begin NAME" before each file, and "ok NAME" or "refused NAME STATUS" after it.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>

#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/known_faults.h"
#include "hilo/backend/pjrt/options.h"
#include "hilo/backend/pjrt/program.h"
#include "hilo/backend/run_collective.h"
#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"

using namespace hilo;
using namespace hilo::plugins;

namespace {

PJRT_NamedValue text_option(std::string_view name, std::string_view text) {
  PJRT_NamedValue value{};
  value.struct_size = kPjrtStructSize<PJRT_NamedValue>;
  value.name = name.data();
  value.name_size = name.size();
  value.type = PJRT_NamedValue_kString;
  value.string_value = text.data();
  value.value_size = text.size();
  return value;
}

/// A topology of `devices` GPUs of the target in one machine.
StatusOr<PJRT_TopologyDescription*> topology_of(const Plugin& plugin, const std::string& target, int64_t devices) {
  const std::string sizes = fmt::format("1x1x{}", devices);
  const PJRT_NamedValue options[] = {text_option("target_config", target), text_option("topology", sizes)};
  PJRT_TopologyDescription_Create_Args args{};
  args.topology_name = sizes.data();
  args.topology_name_size = sizes.size();
  args.create_options = options;
  args.num_options = std::size(options);
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_TopologyDescription_Create, args).with_context("topology"));
  return args.topology;
}

Status compile(const Plugin& plugin, PJRT_TopologyDescription* topology, const OutgoingProgram& outgoing,
               int64_t replicas) {
  std::vector<int64_t> ids(static_cast<size_t>(replicas));
  std::iota(ids.begin(), ids.end(), 0);
  const std::string options = replica_options(ids);
  PJRT_Program code = raw_program(outgoing);
  PJRT_Compile_Args args{};
  args.topology = topology;
  args.program = &code;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Compile, args));
  PJRT_Executable_Destroy_Args destroy{};
  destroy.executable = args.executable;
  return call(plugin, &PJRT_Api::PJRT_Executable_Destroy, destroy);
}

ProgramFormat format_of(const hlo::Module& program) {
  return needs_stablehlo(program) ? ProgramFormat::kStablehlo : ProgramFormat::kHlo;
}

class Compiler {
 public:
  Compiler(const Plugin& plugin, std::string target) : plugin_(plugin), target_(std::move(target)) {}

  Status compile_file(const std::string& path) {
    HILO_ASSIGN_OR_RETURN(const std::string code, read_file(path, int64_t{1} << 30));
    HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(code, path));
    HILO_ASSIGN_OR_RETURN(const hlo::Module module, stablehlo::translate(tree));
    HILO_ASSIGN_OR_RETURN(const int64_t replicas, replica_count_of(module, 1));
    HILO_ASSIGN_OR_RETURN(const hlo::Module program, prepared_program(module));
    HILO_ASSIGN_OR_RETURN(const OutgoingProgram outgoing, write_program(program, plugin_, format_of(program)));
    HILO_ASSIGN_OR_RETURN(PJRT_TopologyDescription* const topology, topology_for(replicas));
    const Status status = compile(plugin_, topology, outgoing, replicas);
    return status.ok() ? status : compile_error(status, program);
  }

 private:
  StatusOr<PJRT_TopologyDescription*> topology_for(int64_t devices) {
    if (const auto known = topologies_.find(devices); known != topologies_.end()) return known->second;
    HILO_ASSIGN_OR_RETURN(PJRT_TopologyDescription* const made, topology_of(plugin_, target_, devices));
    return topologies_[devices] = made;
  }

  const Plugin& plugin_;
  const std::string target_;
  std::map<int64_t, PJRT_TopologyDescription*> topologies_;  // live as long as the process
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: compile_for_gpu PLUGIN.so TARGET FILE...\n"), 2;
  const StatusOr<const Plugin*> plugin = Plugin::open(argv[1]);
  const StatusOr<std::string> target = read_file(argv[2], 1 << 20);
  for (const Status& status : {plugin.status(), target.status()}) {
    if (!status.ok()) return std::fprintf(stderr, "%s\n", status.to_string().c_str()), 2;
  }
  Compiler compiler(**plugin, *target);
  for (int i = 3; i < argc; ++i) {
    const std::string name = std::filesystem::path(argv[i]).stem().string();
    std::printf("begin %s\n", name.c_str());
    std::fflush(stdout);
    const Status status = compiler.compile_file(argv[i]);
    std::printf("%s\n",
                status.ok() ? ("ok " + name).c_str() : printable("refused " + name + " " + status.to_string()).c_str());
    std::fflush(stdout);
  }
  std::_Exit(0);  // skips the plugin's destructors
}
