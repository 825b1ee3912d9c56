// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's driver: as many devices as STUB_DEVICES says, and cuInit fails with STUB_INIT if that is set.
#include <cstdlib>

namespace {

int number(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

extern "C" int cuInit(unsigned flags) { return flags == 0 ? number("STUB_INIT") : 1; }

extern "C" int cuDeviceGetCount(int* count) {
  *count = number("STUB_DEVICES");
  return 0;
}
