// SPDX-License-Identifier: Apache-2.0
// backend/reference/reference_backend.h -- the reference evaluator behind the interface of an engine.
#pragma once

#include "hilo/backend/backend.h"

namespace hilo {

/// An engine that compiles nothing and interprets the program as it was given, op by op: slow, obvious, right.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace hilo
