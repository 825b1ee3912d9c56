// SPDX-License-Identifier: Apache-2.0
// The extension for FFI: handlers of custom calls from other libraries, and user data for them in a run's context.
#include <fmt/format.h>

#include <map>

#include "hilo/backend/custom_call.h"
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/objects.h"

namespace hilo::pjrt {
namespace {

struct TypeIds {
  std::mutex mutex;
  std::map<std::string, int64_t, std::less<>> ids;
};
TypeIds& type_ids() {
  static auto* const instance = new TypeIds;
  return *instance;
}

/// Returns whether the caller's handler takes precedence over hilo's. Schur forms are unique only up to signs and the
/// order of eigenvalues. Users of JAX compare them with those of SciPy, whose LAPACK jaxlib's handlers call.
bool is_callers(std::string_view target) { return target.starts_with("lapack_") && target.ends_with("gees_ffi"); }

}  // namespace

/// Assigns the type an id, or stores its existing one.
Status answer(PJRT_FFI_Type_Register_Args& args) {
  HILO_PJRT_WANTED(args, type_name);
  const std::string name(args.type_name, args.type_name_size);
  TypeIds& types = type_ids();
  const std::scoped_lock lock(types.mutex);
  const int64_t wanted = args.type_id == 0 ? std::ssize(types.ids) + 1 : args.type_id;
  const auto [at, added] = types.ids.emplace(name, wanted);
  if (!added && args.type_id != 0 && at->second != args.type_id)
    return already_exists(fmt::format("FFI type '{}' already has the id {}; got {}", name, at->second, args.type_id));
  args.type_id = at->second;
  return ok_status();
}

Status answer(PJRT_FFI_UserData_Add_Args& args) {
  HILO_PJRT_WANTED(args, context);
  const std::scoped_lock lock(args.context->mutex);
  if (!args.context->user_data.emplace(args.user_data.type_id, args.user_data.data).second)
    return already_exists(fmt::format("the context already has user data of type {}", args.user_data.type_id));
  return ok_status();
}

Status answer(PJRT_FFI_Register_Handler_Args& args) {
  HILO_PJRT_WANTED(args, target_name);
  HILO_PJRT_WANTED(args, handler);
  const std::string_view platform(args.platform_name, args.platform_name_size);
  if (platform != "Host" && platform != "cpu" && platform != "hilo")
    return invalid_argument(fmt::format("FFI handler '{}': platform '{}'; wanted Host",
                                        std::string_view(args.target_name, args.target_name_size), platform));
  const std::string_view target(args.target_name, args.target_name_size);
  auto* const handler = reinterpret_cast<HiloFfi_Handler*>(args.handler);
  return is_callers(target) ? replace_ffi_handler(target, handler) : register_ffi_handler(target, handler);
}

}  // namespace hilo::pjrt
