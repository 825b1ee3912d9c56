// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/scan.h -- the extension op scan: a counted loop over the leading axis, as in jax.lax.scan.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Operands: constants, initial carries, xs (leading axis `length`). step maps constants, carries and one slice of each
/// xs to the tuple (carries, one slice of each ys). Result: the tuple (final carries, stacked ys).
struct ScanAttributes : Attributes {
  ComputationPtr step;
  int64_t length = 0;
  int64_t constant_count = 0;
  int64_t carry_count = 0;
  bool reverse = false;  ///< from the last slice to the first; slices of ys have the indices of those of xs
};

}  // namespace hilo::hlo
