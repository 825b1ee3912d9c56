// SPDX-License-Identifier: Apache-2.0
// tests/support/replicas.h -- runs a program on several replicas at once.
#pragma once

#include "hilo/device/client.h"
#include "hilo/types/literal.h"

namespace hilo::tests {

/// The leaves of each replica, by replica.
using OfReplicas = std::vector<std::vector<Literal>>;

/// The results of each replica; an error fails the test. One list of arguments, flat, for each.
OfReplicas run_on_replicas(Client& client, const hlo::Module& module, const OfReplicas& arguments);

}  // namespace hilo::tests
