// SPDX-License-Identifier: Apache-2.0
// client/inspection.h -- the interface to libhilo_inspect.so: observers of compilations, and graphs. The library is
// opened on first use.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hilo/base/companion.h"
#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo {

/// Observes one compilation and writes the dumps, graphs and times that the options request.
class CompileWatch : public hlo::PassObserver {
 public:
  /// Finishes the observation after the compilation.
  /// Returns   the executable, or a wrapper that measures each run
  virtual std::unique_ptr<Executable> finish(std::unique_ptr<Executable> executable) = 0;
};

struct InspectTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_inspect.so", "hilo_inspect", "a dump, a picture or a profile",
                                         "build and install the target hilo_inspect"};
  std::unique_ptr<CompileWatch> (*watch)(const CompileOptions& options, const hlo::Module& module);
  std::string (*html_section)(const hlo::Module& module, std::string_view title);
};

/// Returns whether the options request files or a profile. Both belong to a single compilation.
bool is_watched(const CompileOptions& options);

/// Returns the module's graph as a <section> of an HTML page.
/// Errors    those of open_companion
StatusOr<std::string> html_section_of_module(const hlo::Module& module, std::string_view title);

}  // namespace hilo
