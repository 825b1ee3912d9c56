// SPDX-License-Identifier: Apache-2.0
#include "tests/support/replicas.h"
#include "tests/support/clients.h"

#include <gtest/gtest.h>

namespace hilo::tests {

OfReplicas run_on_replicas(Client& client, const hlo::Module& module, const OfReplicas& arguments) {
  CompileOptions options = without_straight_lines();
  options.replica_count = static_cast<int64_t>(arguments.size());
  const auto executable = client.compile(module, options, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  if (!executable.ok()) return {};
  std::vector<std::vector<BufferPtr>> buffers(arguments.size());
  for (size_t r = 0; r < arguments.size(); ++r) {
    for (const Literal& argument : arguments[r])
      buffers[r].push_back(*buffer_from_literal(*(*executable)->devices()[r], argument));
  }
  const auto results = execute_replicas(**executable, buffers);
  EXPECT_TRUE(results.ok()) << results.status().to_string();
  OfReplicas literals;
  for (size_t r = 0; results.ok() && r < results->size(); ++r) {
    literals.emplace_back();
    for (const BufferPtr& buffer : (*results)[r]) literals.back().push_back(*literal_from_buffer(*buffer));
  }
  return literals;
}

}  // namespace hilo::tests
