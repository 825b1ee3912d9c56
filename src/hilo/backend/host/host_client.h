// SPDX-License-Identifier: Apache-2.0
// backend/host/host_client.h -- a client whose devices are this machine's processor, under any engine.
#pragma once

#include <mutex>

#include "hilo/backend/host/host_program.h"

namespace hilo {

/// Creates a client with ClientOptions::replica_count devices, and as many in every other process of
/// ClientOptions::process_count.
/// Errors    INVALID_ARGUMENT for less than one
StatusOr<ClientPtr> make_host_client(HostEngine& engine, ClientOptions options);

class HostClient final : public Client {
 public:
  /// Use make_host_client().
  HostClient(HostEngine& engine, ClientOptions options);

  std::string_view platform_name() const override { return engine_.platform_name(); }
  int process_index() const override { return options().process_index; }
  int process_count() const override { return options().process_count; }
  StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                hlo::PassObserver* observer) override;
  StatusOr<std::unique_ptr<Executable>> load(std::string_view bytes) override;
  StatusOr<ObjectFiles> compile_object(const hlo::Module& module, const CompileOptions& options,
                                       const ObjectOptions& object) override;
  /// Locked while the parts of one run are added to several devices' queues, so that two runs never wait for each
  /// other.
  std::mutex& launch_mutex() { return launch_mutex_; }

 private:
  HostEngine& engine_;
  std::mutex launch_mutex_;
};

}  // namespace hilo
