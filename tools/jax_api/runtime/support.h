// SPDX-License-Identifier: Apache-2.0
// tools/jax_api/runtime/support.h -- what generated forms include; precompiled.
#pragma once

#include "cases.h"
#include "values.h"
