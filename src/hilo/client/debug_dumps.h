// SPDX-License-Identifier: Apache-2.0
// client/debug_dumps.h -- writes modules into folders while they are compiled, as the jax_dump_hlo_* flags ask.
#pragma once

#include <string>
#include <string_view>

#include "hilo/backend/compile_options.h"
#include "hilo/base/flags.h"
#include "hilo/client/compile_progress.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo {

/// The part of the flags that a compilation obeys.
CompileOptions compile_options(const FlagValues& flags);

/// True if any flag asks for files.
bool wants_dumps(const CompileOptions& options);

/// Watches one compilation. Files are HLO text NNNN.MODULE.PASS.hlo in DIR/hlo_unoptimized, DIR/hlo_optimized and
/// DIR/hlo_per_pass; the numbers go on from the highest one in the folder and nothing is overwritten. A pass that
/// changed nothing leaves no file. Pictures (jax_dump_hlo_graph) go to hlo_graph in the first folder named, or in the
/// working directory. A folder that can't be written is warned about once, and the compilation goes on.
class DebugDumps final : public hlo::PassObserver {
 public:
  DebugDumps(const CompileOptions& options, const hlo::Module& module);

  void before(std::string_view pass, const hlo::Module& module) override;
  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override;
  /// The compilation succeeded with this module.
  void finish(const hlo::Module& optimized);

 private:
  void write_graph(const hlo::Module& module, std::string_view stage) const;

  const CompileOptions& options_;
  std::string name_;
  bool draw_ = false;  ///< the module's name matches jax_dump_hlo_graph
  CompileProgress progress_;
};

/// Writes `content` as FOLDER/NNNN.MODULE.STAGE.EXTENSION under the next free number and returns the path.
/// Errors    those of make_directories and write_file_atomic
StatusOr<std::string> write_numbered(const std::string& folder, std::string_view module, std::string_view stage,
                                     std::string_view extension, std::string_view content);

}  // namespace hilo
