// SPDX-License-Identifier: Apache-2.0
// pjrt/objects.h -- the objects behind the handles of the C API: plain structs over one Client.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "hilo/device/client.h"
#include "hilo/pjrt/handles.h"
#include "hilo/pjrt_abi/api.h"

namespace hilo::pjrt {

struct ClientState;
struct Program;

struct ErrorObject : PJRT_Error {
  Status status;
};

/// Data that a caller attaches to a memory by its own key.
struct UserData {
  void* data = nullptr;
  void (*destroy)(void*) = nullptr;
};

/// A kind of memory of one device. On the host all kinds are names of the same memory.
struct MemoryObject : PJRT_Memory {
  MemoryObject() = default;
  MemoryObject(const MemoryObject&) = delete;
  MemoryObject& operator=(const MemoryObject&) = delete;
  ~MemoryObject();

  ClientState* client = nullptr;
  PJRT_Device* device = nullptr;
  int id = 0;
  int kind_id = 0;  ///< index in kMemoryKinds
  std::string text, debug_text;
  std::mutex mutex;
  std::unordered_map<const void*, UserData> user_data;  ///< guarded by mutex
};

/// The kinds of memory that JAX knows; the first one is the default.
inline constexpr std::string_view kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};

}  // namespace hilo::pjrt

struct PJRT_DeviceDescription {
  int id = 0;
  int process_index = 0;
  std::string kind, text, debug_text;
  std::vector<PJRT_NamedValue> attributes;
};

struct PJRT_Device {
  hilo::pjrt::ClientState* client = nullptr;
  hilo::DevicePtr device;
  PJRT_DeviceDescription description;
  std::vector<PJRT_Memory*> memories;  ///< by kind
};

/// The descriptions of a set of devices, without a client.
struct PJRT_TopologyDescription {
  std::string platform_name, platform_version;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> own;  ///< unless they belong to a client
  std::vector<PJRT_DeviceDescription*> descriptions;
};

namespace hilo::pjrt {

/// A client and its objects in the C API. Buffers and executables share ownership of it.
struct ClientState {
  ClientPtr client;
  std::string platform_name, platform_version;
  std::vector<std::unique_ptr<PJRT_Device>> own_devices;
  std::vector<std::unique_ptr<MemoryObject>> own_memories;
  std::vector<PJRT_Device*> devices;  ///< by id
  std::vector<PJRT_Memory*> memories;
  OwnHandle<PJRT_TopologyDescription> topology{Handles<PJRT_TopologyDescription>::make()};

  /// Returns null if there is no device with that id.
  PJRT_Device* find(int id) const {
    return id >= 0 && static_cast<size_t>(id) < devices.size() ? devices[id] : nullptr;
  }
};
using ClientStatePtr = std::shared_ptr<ClientState>;

inline MemoryObject& object(PJRT_Memory* memory) { return static_cast<MemoryObject&>(*memory); }

}  // namespace hilo::pjrt

struct PJRT_Client {
  hilo::pjrt::ClientStatePtr state;
};

struct PJRT_Event {
  hilo::Event event;
  std::unique_ptr<hilo::EventSource> source = nullptr;  ///< for an event that PJRT_Event_Set finishes
  std::mutex mutex = {};
};

struct PJRT_Buffer {
  hilo::pjrt::ClientStatePtr client;
  hilo::BufferPtr buffer;
  PJRT_Memory* memory = nullptr;
  std::atomic<bool> deleted = false;
  std::atomic<int> external_references = 0;  ///< number of external readers; each one holds the buffer
  std::vector<int64_t> minor_to_major;       ///< result of PJRT_Buffer_GetMemoryLayout
};

/// User data for the handlers of a run, by the id of its type.
struct PJRT_ExecuteContext {
  std::mutex mutex;
  std::unordered_map<int64_t, void*> user_data;  ///< guarded by mutex
};

struct PJRT_Executable {
  std::shared_ptr<hilo::pjrt::Program> program;
};

struct PJRT_LoadedExecutable {
  std::shared_ptr<hilo::pjrt::Program> program;
  std::atomic<bool> deleted = false;
};

struct PJRT_Layouts_MemoryLayout {
  hilo::Shape shape;
};

namespace hilo::pjrt {

/// Creates a handle of a buffer in `memory`.
PJRT_Buffer* new_buffer(const ClientStatePtr& client, BufferPtr buffer, PJRT_Memory* memory);
/// Creates a handle of a buffer in the default memory of its device.
PJRT_Buffer* new_buffer(const ClientStatePtr& client, BufferPtr buffer);
inline PJRT_Event* new_event(Event event) { return Handles<PJRT_Event>::make(std::move(event)); }

/// Bytes that live until the caller calls the deleter: results of Serialize and similar functions. Handle is the API's
/// type.
template <class Handle>
struct OwnedBytes {
  std::string bytes;
  static Handle* handle(OwnedBytes* owned) { return reinterpret_cast<Handle*>(owned); }
  static void destroy(Handle* handle) { delete reinterpret_cast<OwnedBytes*>(handle); }
};

/// Passes `bytes` to the caller: their range, the handle that owns them, and its deleter.
template <class Handle>
void pass_bytes(std::string bytes, const char*& data, size_t& size, Handle*& handle, void (*&deleter)(Handle*)) {
  auto* const owned = new OwnedBytes<Handle>{std::move(bytes)};
  data = owned->bytes.data();
  size = owned->bytes.size();
  handle = OwnedBytes<Handle>::handle(owned);
  deleter = OwnedBytes<Handle>::destroy;
}

}  // namespace hilo::pjrt
