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

}  // namespace

StatusOr<int> count_devices(const char* library) {
  void* const driver = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);  // kept: a driver doesn't unload well
  if (driver == nullptr) return not_found(fmt::format("no NVIDIA driver: {}", last_loader_error()));
  const auto init = function_of<InitFunction>(driver, "cuInit");
  const auto get_count = function_of<GetCountFunction>(driver, "cuDeviceGetCount");
  if (init == nullptr || get_count == nullptr) {
    return not_found(fmt::format("{} is no NVIDIA driver: it lacks cuInit or cuDeviceGetCount", library));
  }
  if (const int error = init(0); error != 0) {
    return not_found(fmt::format("the NVIDIA driver {} doesn't start: cuInit says {}", library, error));
  }
  int count = 0;
  if (const int error = get_count(&count); error != 0) {
    return not_found(
        fmt::format("the NVIDIA driver {} doesn't count its devices: cuDeviceGetCount says {}", library, error));
  }
  if (count < 1) return not_found(fmt::format("the NVIDIA driver {} reports no device", library));
  return count;
}

}  // namespace hilo::cuda
