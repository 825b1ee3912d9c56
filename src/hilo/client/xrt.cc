// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/xrt.h"

#include <fmt/format.h>

#include "hilo/base/text.h"

namespace hilo {

StatusOr<std::shared_ptr<Executable>> compile_for_xrt(const hlo::Module& module, std::span<const Shape>,
                                                      std::string_view target) {
  return unimplemented(
      fmt::format("Compile '{}': the backend xrt with target {} is not in this build. Hint: --jax_xla_backend=xla",
                  module.name, quote(target)));
}

}  // namespace hilo
