// SPDX-License-Identifier: Apache-2.0
// device/client.h -- the devices of one platform, and what runs on them. A tenant of backend/ implements it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hilo/device/communicator.h"
#include "hilo/device/compile_options.h"
#include "hilo/device/device_assignment.h"
#include "hilo/device/executable.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo {

/// What a client is made with.
struct ClientOptions {
  std::string backend = "xla";   ///< how programs get to a device: "xla" in this process, "xrt" on a server
  std::string target = "local";  ///< the server of an xrt backend: "rpc:address"
  int64_t replica_count = 1;     ///< devices of this process, where the platform makes as many as it is asked for
  int process_index = 0;         ///< of this process among those that share the client's devices
  int process_count = 1;
  bool asynchronous = false;                    ///< runs that the front end starts may go on after the call
  CommunicatorFactory communicators = nullptr;  ///< how replicas meet
};

/// Compiles and runs programs. Safe to use from several threads at once. Devices, buffers and executables hold their client:
/// it ends with the last of them.
class Client : public std::enable_shared_from_this<Client> {
 public:
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const ClientOptions& options() const { return options_; }
  /// "Host"
  virtual std::string_view platform_name() const = 0;
  /// This process among those that share the client's devices.
  virtual int process_index() const { return 0; }
  virtual int process_count() const { return 1; }
  /// All devices, by id; and those of this process.
  std::vector<DevicePtr> devices() const;
  std::vector<DevicePtr> local_devices() const;
  int64_t device_count() const { return std::ssize(devices_); }
  /// The first of this process: where arrays are that nobody put anywhere.
  DevicePtr default_device() const;
  /// Errors    INVALID_ARGUMENT "device 7: ..." for no device of this process
  StatusOr<DevicePtr> local_device(int64_t id) const;

  /// Verifies, optimises and compiles. `observer` (may be null) sees every pass.
  /// Errors    INVALID_ARGUMENT from the verifier, or for more replicas than there are devices; UNIMPLEMENTED "shuffle 's'
  ///           is not implemented ..."; RESOURCE_EXHAUSTED
  virtual StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                        hlo::PassObserver* observer) = 0;
  /// The executable whose Executable::serialize() gave these bytes.
  /// Replica r runs on device r.
  /// Errors    UNIMPLEMENTED where the client can't; INVALID_ARGUMENT for other bytes, or for more replicas than there are
  ///           devices; FAILED_PRECONDITION for those of another build or kind of device
  virtual StatusOr<std::unique_ptr<Executable>> load(std::string_view bytes);

 protected:
  explicit Client(ClientOptions options) : options_(std::move(options)) {}
  /// Constructors add their devices in the order of their ids.
  void add_device(std::unique_ptr<Device> device) { devices_.push_back(std::move(device)); }
  /// This process's devices of program `name` for so many replicas. If nothing assigns them, they are this process's own if
  /// these are enough; else replica r is on device r, whose process that may be.
  /// Errors    INVALID_ARGUMENT if there are too few, none is in this process, or the options assign one that isn't there
  StatusOr<std::vector<DevicePtr>> devices_for(const std::string& name, const CompileOptions& options,
                                               int64_t replica_count) const;

 private:
  DevicePtr shared(Device* device) const;

  const ClientOptions options_;
  std::vector<std::unique_ptr<Device>> devices_;
};
using ClientPtr = std::shared_ptr<Client>;

}  // namespace hilo
