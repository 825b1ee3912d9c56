// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/named_values.h"

namespace hilo::pjrt {

Status answer(PJRT_Plugin_Initialize_Args&) { return ok_status(); }

/// The supported versions of StableHLO. JAX writes the older one of its own version and the current version here.
Status answer(PJRT_Plugin_Attributes_Args& args) {
  static constexpr std::array<int64_t, 3> kCurrent = {1, 17, 0}, kMinimum = {0, 9, 0};
  static const std::array<PJRT_NamedValue, 3> kAttributes = {
      named("xla_version", int64_t{2}), named("stablehlo_current_version", std::span<const int64_t>(kCurrent)),
      named("stablehlo_minimum_version", std::span<const int64_t>(kMinimum))};
  args.attributes = kAttributes.data();
  args.num_attributes = kAttributes.size();
  return ok_status();
}

}  // namespace hilo::pjrt
