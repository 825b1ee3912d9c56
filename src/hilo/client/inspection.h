// SPDX-License-Identifier: Apache-2.0
// client/inspection.h -- what libhilo_inspect.so has for compilations and for pictures: inspect/, which is opened when
// it is needed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hilo/base/companion.h"
#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo {

/// Watches one compilation: dumps, pictures and times, as its options ask.
class CompileWatch : public hlo::PassObserver {
 public:
  /// After the compilation. Returns    the executable, or one around it that measures each run
  virtual std::unique_ptr<Executable> finish(std::unique_ptr<Executable> executable) = 0;
};

struct InspectTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_inspect.so", "hilo_inspect", "a dump, a picture or a profile",
                                         "build and install the target hilo_inspect"};
  std::unique_ptr<CompileWatch> (*watch)(const CompileOptions& options, const hlo::Module& module);
  std::string (*html_section)(const hlo::Module& module, std::string_view title);
};

/// Whether the options ask for files or a profile. Both belong to one compilation.
bool is_watched(const CompileOptions& options);

/// The module's graph as one <section> of an HTML page.
/// Errors    those of open_companion
StatusOr<std::string> html_section_of_module(const hlo::Module& module, std::string_view title);

}  // namespace hilo
