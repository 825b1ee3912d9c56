// SPDX-License-Identifier: Apache-2.0
// pjrt_abi/api.h -- the function table that a plugin exports by GetPjrtApi.
#pragma once

#include "hilo/pjrt_abi/client.h"
#include "hilo/pjrt_abi/executables.h"
#include "hilo/pjrt_abi/extensions.h"
#include "hilo/pjrt_abi/topology.h"

struct PJRT_Api {
  HILO_PJRT_HEAD;
  PJRT_Api_Version pjrt_api_version;
#define HILO_PJRT_SLOT(result, name) result (*name)(name##_Args * args);
#include "hilo/pjrt_abi/slots.inc"
};
HILO_PJRT_SIZE(PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds, 1144);
static_assert(offsetof(PJRT_Api, PJRT_Error_Destroy) == 40);

/// The API version of these declarations.
inline constexpr int kPjrtMajorVersion = 0, kPjrtMinorVersion = 114;

/// The function that a plugin exports under this name. The table lives as long as the process.
using PJRT_GetApi = const PJRT_Api* (*)();
