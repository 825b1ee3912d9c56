// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/dumps/debug_dumps.h"

#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <vector>

#include "hilo/base/log.h"
#include "hilo/base/text.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/inspect/dumps/dump_folder.h"
#include "hilo/inspect/graph/dot.h"
#include "hilo/inspect/graph/html.h"

namespace hilo {
namespace {

void warn(const std::string& folder, const Status& status) {
  log_warning_once("dump " + folder, "dumps to {} are off: {}", folder, status.to_string());
}

/// Whether the flag's regular expression matches a part of the name. An invalid expression causes a warning and matches
/// nothing.
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

DebugDumps::DebugDumps(const CompileOptions& options, const hlo::Module& module)
    : options_(options), name_(module.name.empty() ? "module" : module.name) {
  draw_ = options_.generate_hlo_graph && matches(*options_.generate_hlo_graph, name_);
  if (module.entry == nullptr) return;  // the client reports this
  std::string text;
  if (options_.dump_unoptimized_hlo_proto_to || options_.dump_per_pass_hlo_proto_to) text = hlo::print_module(module);
  if (const auto& folder = options_.dump_unoptimized_hlo_proto_to) write_module(*folder, "unoptimized", module, text);
  if (const auto& folder = options_.dump_per_pass_hlo_proto_to) {
    write_module(*folder, "unoptimized", module, text);  // the first pass' input, even if no pass changes it
    passes_.emplace(name_, std::move(text));
  }
  if (draw_) write_graph(module, "unoptimized");
}

void DebugDumps::after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) {
  if (!passes_) return;
  if (!changed) return passes_->add_no_change(pass, milliseconds);
  std::string text = hlo::print_module(module);
  const std::string file = write_module(*options_.dump_per_pass_hlo_proto_to, pass, module, text);
  passes_->add_change(pass, milliseconds, std::move(text), file);
}

void DebugDumps::finish(const hlo::Module& optimized, std::span<const hlo::InstructionGroup> groups) {
  if (const auto& folder = options_.dump_optimized_hlo_proto_to)
    write_module(*folder, "optimized", optimized, hlo::print_module(optimized));
  if (passes_ && !passes_->empty()) write_pass_page();
  if (draw_) write_graph(optimized, "optimized", groups);
}

std::string DebugDumps::write_module(const std::string& folder, std::string_view stage, const hlo::Module& module,
                                     const std::string& text) const {
  const StatusOr<std::string> proto = hlo::to_proto(module);
  if (!proto.ok()) log_warning_once("proto " + name_, "{}: dumped as text only: {}", name_, proto.status().to_string());
  std::vector<DumpFile> files = {{"hlo", text}};
  if (proto.ok()) files.push_back({"hlo.pb", *proto});
  const StatusOr<std::string> path = write_numbered(folder, name_, stage, files);
  if (!path.ok()) warn(folder, path.status());
  return path.ok() ? path->substr(path->rfind('/') + 1) : std::string();
}

void DebugDumps::write_pass_page() const {
  const std::string folder = *options_.dump_per_pass_hlo_proto_to;
  Status written = write_numbered(folder, name_, "index", "html", passes_->html()).status();
  if (written.ok()) written = write_index(folder);
  if (!written.ok()) warn(folder, written);
}

void DebugDumps::write_graph(const hlo::Module& module, std::string_view stage,
                             std::span<const hlo::InstructionGroup> groups) const {
  std::string folder;
  for (const auto& named : {options_.dump_unoptimized_hlo_proto_to, options_.dump_optimized_hlo_proto_to,
                            options_.dump_per_pass_hlo_proto_to}) {
    if (named && folder.empty()) folder = (std::filesystem::path(*named) / "../hlo_graph").lexically_normal().string();
  }
  if (folder.empty()) folder = "hlo_graph";
  const std::string dot = hlo::dot_graph(module, groups);
  const std::string html = hlo::html_graph(module, fmt::format("{}, {}", name_, stage), groups);
  const DumpFile files[] = {{"dot", dot}, {"html", html}};
  const StatusOr<std::string> path = write_numbered(folder, name_, stage, files);
  if (!path.ok()) warn(folder, path.status());
}

}  // namespace hilo
