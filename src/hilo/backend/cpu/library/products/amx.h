// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/amx.h -- may this process use the processor's matrix registers?
#pragma once

namespace hilo::cpu {

/// Has the processor AMX for bf16 and bytes, and does the system let this process have it? Asked once: from then on the frames
/// of signals have 8 KiB more.
bool has_amx();

}  // namespace hilo::cpu
