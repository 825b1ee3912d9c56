// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/amx.h -- whether this process may use the processor's matrix registers.
#pragma once

namespace hilo::cpu {

/// Whether the processor has AMX for bf16 and bytes and the system allows this process to use it. The first call
/// requests it; after that, signal frames are 8 KiB larger.
bool has_amx();

}  // namespace hilo::cpu
