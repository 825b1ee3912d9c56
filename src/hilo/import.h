// SPDX-License-Identifier: Apache-2.0
// import.h -- programs of others: load, and export_to.
#pragma once

#include "hilo/core.h"
#include "hilo/import/export_to.h"
#include "hilo/import/load.h"
