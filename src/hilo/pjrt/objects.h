// SPDX-License-Identifier: Apache-2.0
// pjrt/objects.h -- what stands behind the handles of the C API: plain structs over one Client.
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

/// An error is a status.
struct ErrorObject : PJRT_Error {
  Status status;
};

/// What callers hang on a memory by a key of theirs.
struct UserData {
  void* data = nullptr;
  void (*destroy)(void*) = nullptr;
};

/// A kind of memory as one device has it. On the host all kinds are the same memory under different names.
struct MemoryObject : PJRT_Memory {
  MemoryObject() = default;
  MemoryObject(const MemoryObject&) = delete;
  MemoryObject& operator=(const MemoryObject&) = delete;
  ~MemoryObject();

  ClientState* client = nullptr;
  PJRT_Device* device = nullptr;
  int id = 0;
  int kind_id = 0;  ///< place in kMemoryKinds
  std::string text, debug_text;
  std::mutex mutex;
  std::unordered_map<const void*, UserData> user_data;  ///< guarded by mutex
};

/// The kinds of memory that JAX knows; the first is the default.
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

/// A set of devices by their descriptions, without a client.
struct PJRT_TopologyDescription {
  std::string platform_name, platform_version;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> own;  ///< unless a client has them
  std::vector<PJRT_DeviceDescription*> descriptions;
};

namespace hilo::pjrt {

/// A client and what the C API shows of it. Buffers and executables hold it as well: it ends with the last of them.
struct ClientState {
  ClientPtr client;
  std::string platform_name, platform_version;
  std::vector<std::unique_ptr<PJRT_Device>> own_devices;
  std::vector<std::unique_ptr<MemoryObject>> own_memories;
  std::vector<PJRT_Device*> devices;  ///< by id
  std::vector<PJRT_Memory*> memories;
  OwnHandle<PJRT_TopologyDescription> topology{Handles<PJRT_TopologyDescription>::make()};

  /// Null if there is none of that id.
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
  std::unique_ptr<hilo::EventSource> source = nullptr;  ///< of one that PJRT_Event_Set finishes
  std::mutex mutex = {};
};

struct PJRT_Buffer {
  hilo::pjrt::ClientStatePtr client;
  hilo::BufferPtr buffer;
  PJRT_Memory* memory = nullptr;
  std::atomic<bool> deleted = false;
  std::atomic<int> external_references = 0;  ///< who reads the memory itself; each holds the buffer
  std::vector<int64_t> minor_to_major;       ///< what PJRT_Buffer_GetMemoryLayout shows
};

/// What a caller hands to the handlers of a run, by the id of its type.
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

/// A new handle of a buffer in `memory`.
PJRT_Buffer* new_buffer(const ClientStatePtr& client, BufferPtr buffer, PJRT_Memory* memory);
/// The same in the default memory of the buffer's device.
PJRT_Buffer* new_buffer(const ClientStatePtr& client, BufferPtr buffer);
inline PJRT_Event* new_event(Event event) { return Handles<PJRT_Event>::make(std::move(event)); }

/// Bytes that a caller keeps until it calls the deleter: what Serialize and the like give. Handle is the API's type.
template <class Handle>
struct OwnedBytes {
  std::string bytes;
  static Handle* handle(OwnedBytes* owned) { return reinterpret_cast<Handle*>(owned); }
  static void destroy(Handle* handle) { delete reinterpret_cast<OwnedBytes*>(handle); }
};

}  // namespace hilo::pjrt
