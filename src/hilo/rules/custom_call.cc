// SPDX-License-Identifier: Apache-2.0
// rules/custom_call.cc -- rules of functions outside the program, of which only their results are known.
#include "hilo/rules/batch_by_scan.h"
#include "hilo/rules/families.h"

namespace hilo::rules {
namespace {

constexpr NotYet kUnknown{
    "hilo doesn't know what the handler computes. Hint: give the call a derivative with custom_vjp"};

}  // namespace

// One call an example, as JAX's vmap_method="sequential" has it.
const Rules custom_call_rules = {kUnknown, kUnknown, batch_by_scan};

}  // namespace hilo::rules
