// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/products/blas.h"
#include "hilo/base/cpu_count.h"
#include "hilo/base/flag_table.h"
#include "hilo/base/flags.h"
#include "hilo/base/text.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/version.h"
#include "tools/hilo/command.h"
#include "tools/hilo/jax_flags.h"

#ifndef HILO_LLVM_VERSION
#define HILO_LLVM_VERSION "unknown"
#endif

namespace hilo::tool {
namespace {

std::string cpu_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model name")) return std::string(trimmed(std::string_view(line).substr(line.find(':') + 1)));
  }
  return "unknown";
}

std::string isa_text() {
  const StatusOr<cpu::Isa> selected = cpu::selected_isa();
  const std::string_view host = cpu::isa_name(cpu::host_isa());
  if (!selected.ok()) return selected.status().to_string();
  if (*selected == cpu::host_isa()) return std::string(host);
  return fmt::format("{} (the machine has {})", cpu::isa_name(*selected), host);
}

/// Returns one line per device: "device   CUDA:0 NVIDIA H200, memories device, pinned_host; 0 of its bytes in use".
std::string devices_text(const Client& client) {
  std::string text;
  for (const DevicePtr& device : client.devices()) {
    std::vector<std::string_view> kinds;
    for (const Memory& memory : device->memories()) kinds.push_back(memory.kind);
    text += fmt::format("device   {} {}; memories: {}; {} in use\n", device->to_string(), device->kind(),
                        join(kinds, ", "), bytes_text(static_cast<uint64_t>(device->statistics().live_bytes)));
  }
  return text;
}

Status print_info() {
  HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
  return write_result("", info_text() + fmt::format("BLAS     {}\n", cpu::blas_name()) + devices_text(*client));
}

/// Returns the flags, then the environment variables that aren't flags.
std::string flags_text() {
  std::string text =
      "Flags. Each can also be set in the environment, in capitals:\n" + flags_help() + "\nEnvironment variables:\n";
  for (const EnvironmentVariable& variable : kEnvironmentVariables)
    text += fmt::format("  {} (default: {})\n      {}\n", variable.name, variable.default_text, variable.help);
  return text;
}

}  // namespace

std::string info_text() {
  return fmt::format("hilo {} ({})\nCPU      {}\nISA      {}\nthreads  {}\nLLVM     {}\n", version(), commit(),
                     cpu_name(), isa_text(), default_thread_count(), HILO_LLVM_VERSION);
}

Command add_info(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "info", "Print version, commit, CPU, instruction set, threads, LLVM, BLAS, and the devices with their memories");
  add_jax_flags(*app);
  return {app, print_info};
}

Command add_flags(CLI::App& parent) {
  auto markdown = std::make_shared<bool>(false);
  CLI::App* app = parent.add_subcommand("flags", "Print the flags and the environment variables");
  app->add_flag("--markdown", *markdown, "Print as Markdown, in the form of docs/flags.md");
  return {app, [markdown] { return write_result("", *markdown ? flags_markdown() : flags_text()); }};
}

}  // namespace hilo::tool
