// SPDX-License-Identifier: Apache-2.0
// client/entry_layout.h -- a program whose parameters and result have other layouts in memory.
#pragma once

#include <span>

#include "hilo/hlo/ir/module.h"

namespace hilo {

/// The module with its entry's parameters and result laid out so. Inside nothing changes: engines compute row-major and
/// copy at the boundary; a result leaf whose producer states another layout goes through an HLO copy. A module that has
/// the layouts already comes back as it is.
/// Precondition: the shapes are compatible with the entry's.
/// Errors     none but INTERNAL
StatusOr<hlo::Module> with_entry_layout(const hlo::Module& module, std::span<const Shape> parameters,
                                        const Shape& result);

}  // namespace hilo
