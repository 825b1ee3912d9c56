// SPDX-License-Identifier: Apache-2.0
// What including core.h costs.
// aim: 0.85
#include "hilo/core.h"

int main() {}
