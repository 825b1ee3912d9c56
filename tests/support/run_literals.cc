// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_literals.h"

#include "hilo/device/buffer.h"
#include "hilo/device/client.h"

namespace hilo::tests {

StatusOr<std::vector<Literal>> run_literals(Executable& executable, std::span<const Literal> arguments) {
  std::vector<BufferPtr> buffers, results(executable.result_shapes().size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = executable.argument_shapes()[i];
    HILO_ASSIGN_OR_RETURN(BufferPtr buffer, buffer_from_literal(*executable.devices()[0], arguments[i], shape));
    buffers.push_back(std::move(buffer));
  }
  HILO_RETURN_IF_ERROR(executable.execute(buffers, results, {}));
  std::vector<Literal> literals;
  for (const BufferPtr& result : results) {
    HILO_ASSIGN_OR_RETURN(Literal literal, literal_from_buffer(*result));
    literals.push_back(std::move(literal));
  }
  return literals;
}

}  // namespace hilo::tests
