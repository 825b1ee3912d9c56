// SPDX-License-Identifier: Apache-2.0
// What including hilo.h costs.
// aim: 1.15
#include "hilo/hilo.h"

int main() {}
