// SPDX-License-Identifier: Apache-2.0
// inspect/dumps/debug_dumps.h -- writes modules into folders while they are compiled, as the jax_dump_hlo_* flags ask.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hilo/device/compile_options.h"
#include "hilo/hlo/ir/pass_observer.h"
#include "hilo/inspect/dumps/pass_page.h"
#include "hilo/inspect/graph/group.h"

namespace hilo {

/// Watches one compilation. Files are HLO text and HloModuleProto side by side, NNNN.MODULE.PASS.hlo and .hlo.pb, in
/// the folders of the options; the numbers go on from the highest one in the folder and nothing is overwritten. A pass
/// that changed nothing leaves no file; after the last one NNNN.MODULE.index.html shows what each did, and index.html
/// leads to all such pages. Pictures (jax_dump_hlo_graph) go to hlo_graph beside the first folder named, or in the
/// working directory. A folder that can't be written is warned about once, and the compilation goes on.
class DebugDumps final : public hlo::PassObserver {
 public:
  DebugDumps(const CompileOptions& options, const hlo::Module& module);

  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override;
  /// The compilation succeeded with this module; its picture shows the groups.
  void finish(const hlo::Module& optimized, std::span<const hlo::InstructionGroup> groups = {});

 private:
  /// Text and message side by side; returns the text's file name, "" if it couldn't be written.
  std::string write_module(const std::string& folder, std::string_view stage, const hlo::Module& module,
                           const std::string& text) const;
  void write_graph(const hlo::Module& module, std::string_view stage,
                   std::span<const hlo::InstructionGroup> groups = {}) const;
  void write_pass_page() const;

  const CompileOptions options_;
  std::string name_;
  bool draw_ = false;               ///< the module's name matches jax_dump_hlo_graph
  std::optional<PassPage> passes_;  ///< if passes are dumped
};

}  // namespace hilo
