// SPDX-License-Identifier: Apache-2.0
// inspect/dumps/debug_dumps.h -- writes modules into folders during compilation, as the jax_dump_hlo_* flags request.
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

/// Observes one compilation. Writes HLO text and HloModuleProto, NNNN.MODULE.PASS.hlo and .hlo.pb, into the folders of
/// the options. Numbers continue from the highest one in the folder; nothing is overwritten. A pass without changes
/// writes no file. At the end NNNN.MODULE.index.html shows the effect of each pass, and index.html links to all such
/// pages. Pictures (jax_dump_hlo_graph) are written to hlo_graph next to the first folder, or in the working directory.
/// A folder that isn't writable causes one warning, and the compilation continues.
class DebugDumps final : public hlo::PassObserver {
 public:
  DebugDumps(const CompileOptions& options, const hlo::Module& module);

  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override;
  /// Records that the compilation succeeded with this module; its picture shows the groups.
  void finish(const hlo::Module& optimized, std::span<const hlo::InstructionGroup> groups = {});

 private:
  /// Writes text and protobuf message; returns the text's file name, "" if it couldn't be written.
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
