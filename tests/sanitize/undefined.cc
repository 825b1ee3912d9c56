// SPDX-License-Identifier: Apache-2.0
// A planted bug: a signed sum that does not fit.
// sanitizer: address,undefined
// report: signed integer overflow
#include <climits>

int main(int argc, char**) {
  volatile int large = INT_MAX;
  return large + argc == 0;
}
