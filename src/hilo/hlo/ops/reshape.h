// SPDX-License-Identifier: Apache-2.0
// hlo/ops/reshape.h -- ops that rearrange or create elements: reshape, broadcast, transpose, reverse, bitcast-convert,
// iota, constant.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Operand dimension i becomes result dimension dimensions[i], with the same extent.
struct BroadcastAttributes : Attributes {
  Int64List dimensions;
};

/// Result dimension i is operand dimension permutation[i].
struct TransposeAttributes : Attributes {
  Int64List permutation;
};

struct ReverseAttributes : Attributes {
  Int64List dimensions;
};

struct IotaAttributes : Attributes {
  int64_t dimension = 0;
};

struct ConstantAttributes : Attributes {
  Literal value;
};

}  // namespace hilo::hlo
