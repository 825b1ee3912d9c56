// SPDX-License-Identifier: Apache-2.0
// hlo/ir/owners.h -- a map from instructions to the computation that contains them.
#pragma once

#include <unordered_map>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

using Owners = std::unordered_map<const Instruction*, const Computation*>;

/// Returns the owner of every reachable instruction. Valid as long as the module exists.
Owners owners_of(const Module& module);

}  // namespace hilo::hlo
