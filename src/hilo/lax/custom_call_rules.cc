// SPDX-License-Identifier: Apache-2.0
// lax/custom_call_rules.cc -- rules of functions outside the program, of which only their results are known.
#include "hilo/lax/batch_by_scan.h"
#include "hilo/lax/rule_families.h"

namespace hilo::lax {
namespace {

constexpr NotYet kUnknown{
    "hilo doesn't know what the handler computes. Hint: give the call a derivative with custom_vjp"};

}  // namespace

// One call an example, as JAX's vmap_method="sequential" has it.
const Rules custom_call_rules = {kUnknown, kUnknown, batch_by_scan};

}  // namespace hilo::lax
