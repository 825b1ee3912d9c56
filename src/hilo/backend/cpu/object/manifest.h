// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/manifest.h -- the figures of an object as JSON, for build systems.
#pragma once

#include "hilo/backend/cpu/object/c_interface.h"
#include "hilo/backend/cpu/object/object_figures.h"

namespace hilo::cpu {

/// Returns NAME.json.
std::string object_manifest(const CInterface& interface, const ObjectFigures& figures);

}  // namespace hilo::cpu
