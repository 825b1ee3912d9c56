// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cuda/host_copies.h"

#include <fmt/format.h>

#include <map>

namespace hilo::cuda {
namespace {

/// By the address on the device: a result that aliases an operand uses the same copy.
using Copies = std::map<void*, std::vector<std::byte>>;

size_t bytes_of(const CustomCallBuffer& buffer) {
  return static_cast<size_t>(buffer.element_count() * element_size_bytes(buffer.type));
}

bool has_bytes(const CustomCallBuffer& buffer) { return buffer.data != nullptr && bytes_of(buffer) > 0; }

void allocate_copies(Copies& copies, std::span<const CustomCallBuffer> buffers) {
  for (const CustomCallBuffer& buffer : buffers) {
    if (has_bytes(buffer)) copies[buffer.data].resize(bytes_of(buffer));
  }
}

std::vector<CustomCallBuffer> on_host(Copies& copies, std::span<const CustomCallBuffer> buffers) {
  std::vector<CustomCallBuffer> here(buffers.begin(), buffers.end());
  for (CustomCallBuffer& buffer : here) {
    if (has_bytes(buffer)) buffer.data = copies.at(buffer.data).data();
  }
  return here;
}

Status check(int error, const char* function) {
  if (error == 0) return ok_status();
  return internal_error(fmt::format("the NVIDIA driver: {} returned {}", function, error));
}

uint64_t address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

}  // namespace

Status call_on_copies(const CustomCallHandler& handler, const CustomCallFrame& frame, const StreamFunctions& functions,
                      void* stream) {
  Copies copies;
  allocate_copies(copies, frame.operands);
  allocate_copies(copies, frame.results);
  const std::vector<CustomCallBuffer> operands = on_host(copies, frame.operands),
                                      results = on_host(copies, frame.results);
  const auto copy_all = [&](std::span<const CustomCallBuffer> to, std::span<const CustomCallBuffer> from) {
    for (size_t i = 0; i < to.size(); ++i) {
      if (!has_bytes(to[i])) continue;
      const int error = functions.copy(address(to[i].data), address(from[i].data), bytes_of(to[i]), stream);
      HILO_RETURN_IF_ERROR(check(error, "cuMemcpyAsync"));
    }
    return ok_status();
  };
  // Waits for all copies, also those before a failed one, because their memory is freed when this call returns.
  const auto ended = [&](const Status& begun) {
    const Status waited = check(functions.wait(stream), "cuStreamSynchronize");
    return begun.ok() ? waited : begun;
  };
  HILO_RETURN_IF_ERROR(ended(copy_all(operands, frame.operands)));
  CustomCallFrame here = frame;
  here.operands = operands;
  here.results = results;
  HILO_RETURN_IF_ERROR(handler(here));
  return ended(copy_all(frame.results, results));
}

}  // namespace hilo::cuda
