// SPDX-License-Identifier: Apache-2.0
// A fake of NVIDIA's driver. STUB_DEVICES is its number of devices; cuInit fails with STUB_INIT if that is set. A
// device address is an address of this process with an additional bit. A stream copies when a caller waits for it, and
// fails with STUB_COPY.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

int number(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

struct Copy {
  uint64_t to, from;
  size_t bytes;
};
thread_local std::vector<Copy> queue;

constexpr uint64_t kOnDevice = uint64_t{1} << 62;
void* pointer(uint64_t address) { return reinterpret_cast<void*>(address & ~kOnDevice); }

}  // namespace

extern "C" int cuInit(unsigned flags) { return flags == 0 ? number("STUB_INIT") : 1; }

extern "C" int cuDeviceGetCount(int* count) {
  *count = number("STUB_DEVICES");
  return 0;
}

extern "C" int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void*) {
  if (((to ^ from) & kOnDevice) == 0) return 1;  // one of them is a device address
  queue.push_back({to, from, bytes});
  return number("STUB_COPY");
}

extern "C" int cuStreamSynchronize(void*) {
  for (const Copy& copy : queue) std::memcpy(pointer(copy.to), pointer(copy.from), copy.bytes);
  queue.clear();
  return 0;
}
