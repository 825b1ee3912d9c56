// SPDX-License-Identifier: Apache-2.0
// rules/extension_rules.h -- the rules of the elementwise extension ops, which stand in lax/elementwise_rules.cc.
#pragma once

#include "hilo/trace/rules.h"

namespace hilo::rules {

// erf_inv_rules, ...
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) extern const Rules name##_rules;
#include "hilo/hlo/ir/extensions.inc"

}  // namespace hilo::rules
