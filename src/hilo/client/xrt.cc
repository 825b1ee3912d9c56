// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/xrt.h"

#include <fmt/format.h>

#include "hilo/base/text.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/ir/entry_shapes.h"

namespace hilo {
namespace {

/// A client without devices, for a target without a server.
class XrtClient final : public Client {
 public:
  explicit XrtClient(ClientOptions options) : Client(std::move(options)) {}
  std::string_view platform_name() const override { return ""; }
  StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions&,
                                                hlo::PassObserver*) override {
    return unimplemented(
        fmt::format("Compile '{}': the backend xrt with target {} has no server. Hint: "
                    "--jax_backend_target=rpc:host:port, or --jax_xla_backend=xla",
                    module.name, quote(options().target)));
  }
};

}  // namespace

StatusOr<ClientPtr> make_xrt_client(ClientOptions options) {
  options.backend = "xrt";
  if (options.target != "local") return make_server_client(std::move(options));
  return ClientPtr(std::make_shared<XrtClient>(std::move(options)));
}

StatusOr<std::shared_ptr<Executable>> compile_for_xrt(const hlo::Module& module, std::span<const Shape> argument_shapes,
                                                      std::string_view target) {
  const hlo::Module laid_out = with_entry_shapes(module, argument_shapes, entry_result_shape(module));
  HILO_ASSIGN_OR_RETURN(const ClientPtr client, make_xrt_client({.target = std::string(target)}));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, client->compile(laid_out, {}, nullptr));
  return std::shared_ptr<Executable>(std::move(executable));
}

}  // namespace hilo
