// SPDX-License-Identifier: Apache-2.0
// hlo/ir/owners.h -- which computation an instruction stands in.
#pragma once

#include <unordered_map>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

using Owners = std::unordered_map<const Instruction*, const Computation*>;

/// Of every instruction that can be reached. Valid as long as the module is.
Owners owners_of(const Module& module);

}  // namespace hilo::hlo
