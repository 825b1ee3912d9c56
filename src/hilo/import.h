// SPDX-License-Identifier: Apache-2.0
// import.h -- foreign programs: load and export_to.
#pragma once

#include "hilo/core.h"
#include "hilo/import/export_to.h"
#include "hilo/import/load.h"
