// SPDX-License-Identifier: Apache-2.0
// The entry of libhilo_inspect.so for libhilo.so: the factory of compilation observers, and pictures.
#include <optional>

#include "hilo/client/inspection.h"
#include "hilo/inspect/dumps/debug_dumps.h"
#include "hilo/inspect/graph/html.h"
#include "hilo/inspect/graph/unit_groups.h"
#include "hilo/inspect/profile/compile_times.h"
#include "hilo/version.h"

namespace hilo {
namespace {

/// Writes dumps, and before that measures times for a profile if requested.
class Watch final : public CompileWatch {
 public:
  Watch(const CompileOptions& options, const hlo::Module& module) : dumps_(options, module) {
    if (options.hlo_profile) times_.emplace(dumps_);
  }

  void before(std::string_view pass, const hlo::Module& module) override { first().before(pass, module); }
  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override {
    first().after(pass, module, changed, milliseconds);
  }
  bool times_kernels() const override { return times_.has_value(); }
  void generated(std::string_view kernel, int64_t code_bytes, double milliseconds) override {
    first().generated(kernel, code_bytes, milliseconds);
  }
  std::unique_ptr<Executable> finish(std::unique_ptr<Executable> executable) override {
    if (const hlo::Module* const optimized = executable->optimized_module(); optimized != nullptr)
      dumps_.finish(*optimized, groups_of(*executable));
    return times_ ? profiled(std::move(executable), std::move(*times_).steps()) : std::move(executable);
  }

 private:
  hlo::PassObserver& first() { return times_ ? static_cast<hlo::PassObserver&>(*times_) : dumps_; }

  DebugDumps dumps_;
  std::optional<CompileTimes> times_;
};

std::unique_ptr<CompileWatch> watch(const CompileOptions& options, const hlo::Module& module) {
  return std::make_unique<Watch>(options, module);
}

std::string html_section(const hlo::Module& module, std::string_view title) { return hlo::html_section(module, title); }

}  // namespace
}  // namespace hilo

/// The version of the headers that this library was built with.
extern "C" const hilo::InspectTable hilo_inspect = {{HILO_VERSION_STRING}, hilo::watch, hilo::html_section};
