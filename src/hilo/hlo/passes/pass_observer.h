// SPDX-License-Identifier: Apache-2.0
// hlo/passes/pass_observer.h -- moved: hlo/ir/pass_observer.h, because backend/ may not include passes.
#pragma once

#include "hilo/hlo/ir/pass_observer.h"
