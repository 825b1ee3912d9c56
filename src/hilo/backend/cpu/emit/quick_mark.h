// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/quick_mark.h -- marks modules whose code LLVM's quick pipeline generates.
#pragma once

#include <llvm/IR/Module.h>

namespace hilo::cpu {

inline constexpr const char* kQuickMark = "hilo.quick";

/// Marks the module: emitters then write less code where the bits of results are the same.
inline void mark_quick(llvm::Module& module) { module.getOrInsertNamedMetadata(kQuickMark); }
inline bool is_quick(const llvm::Module& module) { return module.getNamedMetadata(kQuickMark) != nullptr; }

}  // namespace hilo::cpu
