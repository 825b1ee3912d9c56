// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/whole_program.h"

#include <algorithm>

#include "hilo/base/flags.h"
#include "hilo/client/platforms.h"
#include "hilo/client/replicas.h"
#include "tools/hilo/interrupt.h"

namespace hilo::tool {
namespace {

constexpr int64_t kOffered = 64;
constexpr std::string_view kHeader = "replica_count";

StatusOr<std::vector<BufferPtr>> buffers_of(std::span<const Literal> arguments, Device& device) {
  std::vector<BufferPtr> buffers;
  for (const Literal& argument : arguments) {
    HILO_ASSIGN_OR_RETURN(BufferPtr buffer, buffer_from_literal(device, argument, argument.shape()));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

/// Returns whether the platform creates as many devices as requested. A plugin has a fixed number.
bool devices_share_the_machine(std::string_view platform) {
  if (platform.empty()) return !check_platform("CUDA").ok();
  return platform == "Host" || platform == "Reference";
}

}  // namespace

Status offer_replicas() {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  if (values->jax_replica_count != 1 || !devices_share_the_machine(values->jax_platform_name)) return ok_status();
  return config().set("jax_replica_count", kOffered);
}

StatusOr<LocalComputation> compile_whole(hlo::Module module) {
  const bool states = std::any_of(module.other_attributes.begin(), module.other_attributes.end(),
                                  [](const auto& attribute) { return attribute.first == kHeader; });
  if (!states) module.other_attributes.emplace_back(kHeader, "1");
  return compile_under_flags(std::move(module),
                             [](CompileOptions& options) { options.cancellation.token = &interrupt_token(); });
}

StatusOr<std::vector<std::vector<Literal>>> run_whole(const LocalComputation& computation,
                                                      std::span<const Literal> arguments) {
  ExecuteOptions options;
  options.cancellation = &interrupt_token();
  std::vector<std::vector<BufferPtr>> buffers;
  for (const DevicePtr& device : computation.executable()->devices()) {
    HILO_ASSIGN_OR_RETURN(std::vector<BufferPtr> own, buffers_of(arguments, *device));
    buffers.push_back(std::move(own));
  }
  std::vector<std::vector<BufferPtr>> results(1);
  if (buffers.size() == 1) {
    HILO_ASSIGN_OR_RETURN(results[0], computation.execute(buffers[0], options));
  } else {
    HILO_ASSIGN_OR_RETURN(results, execute_per_replica(computation, buffers, options));
  }
  std::vector<std::vector<Literal>> literals;
  for (const std::vector<BufferPtr>& list : results) {
    std::vector<Literal>& own = literals.emplace_back();
    for (const BufferPtr& buffer : list) {
      HILO_ASSIGN_OR_RETURN(Literal literal, literal_from_buffer(*buffer));
      own.push_back(std::move(literal));
    }
  }
  return literals;
}

}  // namespace hilo::tool
