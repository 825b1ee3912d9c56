// SPDX-License-Identifier: Apache-2.0
// rules/extension_rules.h -- the rules of hilo's own ops. Separate, so that only files that define some are
// recompiled when the list grows.
#pragma once

#include "hilo/rules/families.h"

namespace hilo::rules {

// scan_rules, erf_inv_rules, ...
#define HILO_EXTENSION(enumerator, name) extern const Rules name##_rules;
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) extern const Rules name##_rules;
#include "hilo/hlo/ir/extensions.inc"

}  // namespace hilo::rules
