// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/map.h -- map: a scalar computation on every element.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct MapAttributes : Attributes {
  Int64List dimensions;  ///< all of them, in order
  ComputationPtr to_apply;
};

}  // namespace hilo::hlo
