// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/platforms.h"

#include <fmt/format.h>

#include <array>

#include "hilo/backend/cpu/cpu_backend.h"
#include "hilo/backend/cuda/driver.h"
#include "hilo/backend/reference/reference_backend.h"
#include "hilo/base/text.h"

namespace hilo {
namespace {

struct Platform {
  std::string_view name;
  StatusOr<Backend*> (*make)();
};

StatusOr<Backend*> make_host() {
  static Backend* const backend = make_cpu_backend().release();
  return backend;
}

StatusOr<Backend*> make_reference() {
  static Backend* const backend = make_reference_backend().release();
  return backend;
}

StatusOr<Backend*> make_cuda() {
  const StatusOr<int> devices = cuda::count_devices();
  if (!devices.ok()) return devices.status().with_context("platform 'CUDA' has no devices");
  return unimplemented(
      fmt::format("platform 'CUDA': the driver reports {} device{}, but this build of hilo has no CUDA", *devices,
                  *devices == 1 ? "" : "s"));
}

constexpr std::array kPlatforms = {
    Platform{"Host", make_host},
    Platform{"CUDA", make_cuda},
    Platform{"Reference", make_reference},
};

}  // namespace

StatusOr<Backend*> backend_for_platform(std::string_view platform_name) {
  std::array<std::string_view, kPlatforms.size()> known;
  for (size_t i = 0; i < kPlatforms.size(); ++i) {
    if (kPlatforms[i].name == platform_name) return kPlatforms[i].make();
    known[i] = kPlatforms[i].name;
  }
  return not_found(fmt::format("platform {} is unknown; known: {}.{}", quote(platform_name), join(known, ", "),
                               did_you_mean(platform_name, known)));
}

}  // namespace hilo
