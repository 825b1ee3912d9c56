// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/platforms.h"

#include <array>

#include "hilo/backend/cpu/cpu_backend.h"
#include "hilo/backend/reference/reference_backend.h"
#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"

namespace hilo {
namespace {

struct Platform {
  std::string_view name;
  Backend* (*make)();
};

constexpr std::array kPlatforms = {
    Platform{"Host",
             [] {
               static Backend* backend = make_cpu_backend().release();
               return backend;
             }},
    Platform{"Reference",
             [] {
               static Backend* backend = make_reference_backend().release();
               return backend;
             }},
};

}  // namespace

StatusOr<Backend*> backend_for_platform(std::string_view platform_name) {
  std::string known;
  for (const Platform& platform : kPlatforms) {
    if (platform.name == platform_name) return platform.make();
    known += (known.empty() ? "" : ", ") + std::string(platform.name);
  }
  return not_found("platform '" + std::string(platform_name) + "' is unknown; known: " + known);
}

StatusOr<Backend*> default_backend() {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  return backend_for_platform(values->jax_platform_name.empty() ? "Host" : values->jax_platform_name);
}

std::string default_platform_name() {
  const StatusOr<Backend*> backend = default_backend();
  return backend.ok() ? std::string(backend.value()->platform_name()) : "none";
}

}  // namespace hilo
