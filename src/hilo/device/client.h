// SPDX-License-Identifier: Apache-2.0
// device/client.h -- the interface of a client: the devices of one platform and the compiler for them. Folders of
// backend/ implement it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hilo/device/communicator.h"
#include "hilo/device/compile_options.h"
#include "hilo/device/device_assignment.h"
#include "hilo/device/executable.h"
#include "hilo/device/object_files.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo {

/// Options for the construction of a client.
struct ClientOptions {
  std::string backend = "xla";   ///< path to the devices: "xla" for this process, "xrt" for a server
  std::string target = "local";  ///< server of an xrt backend: "rpc:address"
  int64_t replica_count = 1;     ///< number of devices in this process, for platforms with virtual devices
  int process_index = 0;         ///< index among the processes that share the client's devices
  int process_count = 1;
  bool asynchronous = false;  ///< whether a run that the front end starts may continue after the call returns
  CommunicatorFactory communicators = nullptr;  ///< factory of the communicators between replicas
};

/// Compiles and runs programs. Thread-safe. Devices, buffers and executables share ownership of their client.
class Client : public std::enable_shared_from_this<Client> {
 public:
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const ClientOptions& options() const { return options_; }
  /// Returns the name of the platform: "Host".
  virtual std::string_view platform_name() const = 0;
  /// Returns the index of this process among those that share the client's devices.
  virtual int process_index() const { return 0; }
  virtual int process_count() const { return 1; }
  /// Returns all devices, sorted by id; local_devices() returns those of this process.
  std::vector<DevicePtr> devices() const;
  std::vector<DevicePtr> local_devices() const;
  int64_t device_count() const { return std::ssize(devices_); }
  /// Returns the first device of this process. Arrays without an explicit device are placed there.
  DevicePtr default_device() const;
  /// Returns the device of this process with the given id.
  /// Errors    INVALID_ARGUMENT "device 7: ..." if this process has no such device
  StatusOr<DevicePtr> local_device(int64_t id) const;

  /// Verifies, optimizes and compiles a module. `observer` (may be null) is notified of every pass.
  /// Errors    INVALID_ARGUMENT from the verifier, or for more replicas than devices; UNIMPLEMENTED "shuffle 's' is not
  ///           implemented ..."; RESOURCE_EXHAUSTED
  virtual StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                        hlo::PassObserver* observer) = 0;
  /// Loads an executable from the bytes that Executable::serialize() returned. Replica r runs on device r.
  /// Errors    UNIMPLEMENTED if the client can't load executables; INVALID_ARGUMENT for other bytes, or for more
  ///           replicas than devices; FAILED_PRECONDITION for bytes of another build or kind of device
  virtual StatusOr<std::unique_ptr<Executable>> load(std::string_view bytes);
  /// Compiles a module to files for a C compiler. The code has the bits of compile() for the same instruction set.
  /// Errors    UNIMPLEMENTED if the client can't write objects, or with the first op that needs hilo's library; those
  ///           of compile; INVALID_ARGUMENT for wrong options
  virtual StatusOr<ObjectFiles> compile_object(const hlo::Module& module, const CompileOptions& options,
                                               const ObjectOptions& object);

 protected:
  explicit Client(ClientOptions options) : options_(std::move(options)) {}
  /// Adds a device. Constructors call this in the order of device ids.
  void add_device(std::unique_ptr<Device> device) { devices_.push_back(std::move(device)); }
  /// Returns the devices of this process that run program `name` with `replica_count` replicas. Without an assignment
  /// in the options, the devices of this process are used if there are enough of them. Otherwise replica r runs on
  /// device r, in whichever process that device is.
  /// Errors    INVALID_ARGUMENT if there are too few devices, none of them is in this process, or the options assign an
  ///           unknown one
  StatusOr<std::vector<DevicePtr>> devices_for(const std::string& name, const CompileOptions& options,
                                               int64_t replica_count) const;

 private:
  DevicePtr shared(Device* device) const;

  const ClientOptions options_;
  std::vector<std::unique_ptr<Device>> devices_;
};
using ClientPtr = std::shared_ptr<Client>;

}  // namespace hilo
