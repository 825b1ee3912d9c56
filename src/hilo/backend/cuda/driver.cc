// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace hilo::cuda {
namespace {

using InitFunction = int (*)(unsigned flags);  // cuInit
using GetCountFunction = int (*)(int* count);  // cuDeviceGetCount

template <typename Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

std::string last_loader_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "unknown error" : text;
}

/// Stays loaded: a driver can't be unloaded safely.
StatusOr<void*> load(const char* library) {
  void* const driver = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return not_found(fmt::format("no NVIDIA driver: {}", last_loader_error()));
  return driver;
}

}  // namespace

StatusOr<int> count_devices(const char* library) {
  HILO_ASSIGN_OR_RETURN(void* const driver, load(library));
  const auto init = function_of<InitFunction>(driver, "cuInit");
  const auto get_count = function_of<GetCountFunction>(driver, "cuDeviceGetCount");
  if (init == nullptr || get_count == nullptr) {
    return not_found(fmt::format("{} isn't an NVIDIA driver: it lacks cuInit or cuDeviceGetCount", library));
  }
  if (const int error = init(0); error != 0) {
    return not_found(fmt::format("the NVIDIA driver {} doesn't start: cuInit returned {}", library, error));
  }
  int count = 0;
  if (const int error = get_count(&count); error != 0) {
    return not_found(
        fmt::format("the NVIDIA driver {} doesn't count its devices: cuDeviceGetCount returned {}", library, error));
  }
  if (count < 1) return not_found(fmt::format("the NVIDIA driver {} reports no device", library));
  return count;
}

StatusOr<StreamFunctions> stream_functions(const char* library) {
  HILO_ASSIGN_OR_RETURN(void* const driver, load(library));
  const StreamFunctions found{function_of<decltype(StreamFunctions::copy)>(driver, "cuMemcpyAsync"),
                              function_of<decltype(StreamFunctions::wait)>(driver, "cuStreamSynchronize")};
  if (found.copy == nullptr || found.wait == nullptr) {
    return not_found(fmt::format("{} isn't an NVIDIA driver: it lacks cuMemcpyAsync or cuStreamSynchronize", library));
  }
  return found;
}

}  // namespace hilo::cuda
