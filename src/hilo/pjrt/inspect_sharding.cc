// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/inspect_sharding.h"

#include <fmt/format.h>

#include <cstring>

#include "hilo/hlo/proto/sharding.h"
#include "hilo/pjrt/placement.h"

namespace hilo::pjrt {
namespace {

/// Arguments and result of the callback.
struct InspectArgs {
  const char* sharding;  ///< OpSharding
  size_t sharding_size;
  const char* error;  ///< null means success
  void* error_memory;
  void (*free_error)(InspectArgs* args);
};
struct InspectCallback {
  void (*call)(void* data, InspectArgs* args);
  void* data;
};

StatusOr<InspectCallback> callback_of(std::string_view text) {
  InspectCallback callback{};
  if (text.size() != sizeof(callback))
    return invalid_argument(
        fmt::format("custom call InspectSharding: got {} bytes; wanted {}", text.size(), sizeof(callback)));
  std::memcpy(&callback, text.data(), sizeof(callback));
  if (callback.call == nullptr) return invalid_argument("custom call InspectSharding: got no function; wanted one");
  return callback;
}

StatusOr<std::string> op_sharding(const stablehlo::ShardingLook& look, int64_t devices) {
  if (look.is_manual) {
    HILO_ASSIGN_OR_RETURN(hlo::proto::WireWriter manual, hlo::proto::write_sharding("{manual}"));
    return std::move(manual).take();
  }
  HILO_ASSIGN_OR_RETURN(Placement placement, placement_of(look.shape, look.sharding, look.sharding.mesh, devices));
  return std::move(placement.sharding);
}

Status call(const InspectCallback& callback, std::string_view sharding) {
  InspectArgs args{sharding.data(), sharding.size(), nullptr, nullptr, nullptr};
  callback.call(callback.data, &args);
  if (args.error == nullptr) return ok_status();
  Status status = internal_error(args.error);
  if (args.free_error != nullptr) args.free_error(&args);
  return status;
}

}  // namespace

Status inspect_shardings(const hlo::Module& module, const hlo::PropagationRequest& request, int64_t devices) {
  HILO_ASSIGN_OR_RETURN(const auto looks, stablehlo::sharding_looks(module, request));
  for (const stablehlo::ShardingLook& look : looks) {
    HILO_ASSIGN_OR_RETURN(const InspectCallback callback, callback_of(look.who));
    HILO_ASSIGN_OR_RETURN(const std::string sharding, op_sharding(look, devices));
    HILO_RETURN_IF_ERROR(call(callback, sharding));
  }
  return ok_status();
}

}  // namespace hilo::pjrt
