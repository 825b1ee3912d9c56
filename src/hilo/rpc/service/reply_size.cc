// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/reply_size.h"

#include <algorithm>

namespace hilo::rpc {
namespace {

template <typename T>
int64_t list_bytes(const std::vector<T>& list) {
  return static_cast<int64_t>(list.size() * sizeof(T));
}

int64_t units_bytes(const std::vector<UnitDescription>& units) {
  int64_t bytes = list_bytes(units);
  for (const UnitDescription& unit : units)
    bytes += std::ssize(unit.kind) + std::ssize(unit.form) + list_bytes(unit.instructions);
  return bytes;
}

int64_t bytes_of(const CompileReply& reply) {
  int64_t bytes = list_bytes(reply.events) + list_bytes(reply.devices) + list_bytes(reply.signature.argument_shapes) +
                  list_bytes(reply.signature.result_shapes) + std::ssize(reply.signature.name);
  for (const std::string& name : reply.signature.argument_names) bytes += std::ssize(name) + 32;
  for (const PassEvent& event : reply.events) bytes += std::ssize(event.name) + std::ssize(event.module);
  return bytes;
}
int64_t bytes_of(const RunReply& reply) {
  return units_bytes(reply.units) + list_bytes(reply.rows) + list_bytes(reply.begins) + list_bytes(reply.durations) +
         list_bytes(reply.lanes) + list_bytes(reply.counts);
}
int64_t bytes_of(const UnitsReply& reply) { return units_bytes(reply.units); }
template <typename T>
int64_t bytes_of(const T&) {
  return 0;
}

}  // namespace

int64_t stored_bytes(const Reply& reply) {
  constexpr int64_t kFree = 1024;
  const int64_t bytes =
      std::ssize(reply.status.message()) + std::visit([](const auto& body) { return bytes_of(body); }, reply.body);
  return std::max<int64_t>(bytes - kFree, 0);
}

}  // namespace hilo::rpc
