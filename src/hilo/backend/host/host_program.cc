// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/host_program.h"

#include <fmt/format.h>

#include "hilo/backend/run_collective.h"
#include "hilo/base/text_hash.h"
#include "hilo/hlo/text/printer.h"

namespace hilo {

ProgramSignature host_signature(const hlo::Module& module, const CompileOptions& options) {
  ProgramSignature signature = signature_of(module);
  signature.replica_count = options.replica_count;
  signature.meets_others = options.replica_count > 1 && depends_on_replicas(module);
  signature.run_seconds = options.limits.run_seconds;
  if (signature.meets_others) {
    const hlo::PrintOptions meaning{.decompose_extensions = false, .canonical = true};
    signature.fingerprint = TextHash()(hlo::print_module(module, meaning));
  }
  return signature;
}

StatusOr<std::string> HostProgram::serialize() const {
  return unimplemented(fmt::format("serialize '{}': its platform can't save programs", signature().name));
}

StatusOr<std::unique_ptr<HostProgram>> HostEngine::load(std::string_view) {
  return unimplemented(fmt::format("load: platform {} can't save programs", platform_name()));
}

StatusOr<ObjectFiles> HostEngine::compile_object(const hlo::Module& module, const CompileOptions&,
                                                 const ObjectOptions&) {
  return unimplemented(
      fmt::format("writing '{}' as an object: platform {} writes no objects", module.name, platform_name()));
}

}  // namespace hilo
