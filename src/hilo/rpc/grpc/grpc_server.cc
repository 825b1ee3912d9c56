// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/grpc/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <mutex>

#include "hilo/base/files.h"
#include "hilo/rpc/grpc/batches.h"
#include "hilo/rpc/grpc/service.h"
#include "hilo/version.h"

namespace hilo::rpc {
namespace {

constexpr int64_t kMostFileBytes = 1 << 20;
constexpr std::chrono::seconds kShutdown{1};

class GrpcServer final : public Server {
 public:
  GrpcServer(const SessionLimits& limits, StartWorker start_worker, std::vector<NamedToken> tokens)
      : sessions_(limits, std::move(start_worker)),
        service_(
            sessions_, std::move(tokens), [this](const std::string& peer, bool is_known) { judge(peer, is_known); },
            [this] { return overview(); }) {}
  ~GrpcServer() override {
    if (server_ == nullptr) return;
    sessions_.drain();
    server_->Shutdown(std::chrono::system_clock::now() + kShutdown);
    server_->Wait();
    close_door();  // who was about to come finds nobody
  }
  Status start(grpc::ServerBuilder& builder, const ServerOptions& options,
               const std::shared_ptr<grpc::ServerCredentials>& credentials) {
    using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
    acceptor_ = builder.experimental().AddExternalConnectionAcceptor(Type::FROM_FD, credentials);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) return unavailable(options.listen + ": gRPC doesn't start");
    const std::scoped_lock lock(mutex_);
    HILO_ASSIGN_OR_RETURN(door_, Door::open(options.listen, options.door,
                                            [this](OwnedFile connection) { hand_on(std::move(connection)); }));
    return ok_status();
  }
  int port() const override { return door_->port(); }
  bool drain(std::chrono::milliseconds time) override {
    sessions_.drain();
    set_serving(false);
    return sessions_.wait_until_idle(time);
  }
  void set_serving(bool serves) override {
    if (auto* const health = server_->GetHealthCheckService(); health != nullptr) health->SetServingStatus(serves);
  }
  Sessions::Counts counts() const override { return sessions_.counts(); }
  Door::Counts connections() const override {
    const std::scoped_lock lock(mutex_);
    return door_ == nullptr ? Door::Counts() : door_->counts();
  }
  Overview overview() const override {
    const Sessions::Counts counts = this->counts();
    const Door::Counts door = connections();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began_;
    return {.release = std::string(version()),
            .seconds = time.count(),
            .sessions_begun = counts.begun,
            .workers_lost = counts.workers_lost,
            .replies = counts.messages,
            .connections = door.connections,
            .strangers = door.strangers,
            .connections_cut = door.cut,
            .sessions = sessions_.overview(),
            .queued = counts.queued};
  }

 private:
  void hand_on(OwnedFile connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.fd = std::move(connection).release();
    acceptor_->HandleNewConnection(&parameters);
  }
  void judge(const std::string& peer, bool is_known) {
    const std::scoped_lock lock(mutex_);
    if (door_ == nullptr) return;
    if (is_known) door_->let_in(peer);
    else door_->refuse(peer);
  }
  void close_door() {
    std::unique_ptr<Door> door;
    {
      const std::scoped_lock lock(mutex_);
      door.swap(door_);
    }
  }

  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Sessions sessions_;
  XrtService service_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  std::unique_ptr<Door> door_;  // calls may come before it is here, and after it is gone
};

StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials(const ServerOptions& options) {
  if (options.tls_certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls(options.tls_client_ca.empty()
                                            ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                            : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  grpc::SslServerCredentialsOptions::PemKeyCertPair own;
  HILO_ASSIGN_OR_RETURN(own.cert_chain, read_file(options.tls_certificate, kMostFileBytes));
  HILO_ASSIGN_OR_RETURN(own.private_key, read_file(options.tls_key, kMostFileBytes));
  tls.pem_key_cert_pairs.push_back(std::move(own));
  if (!options.tls_client_ca.empty()) {
    HILO_ASSIGN_OR_RETURN(tls.pem_root_certs, read_file(options.tls_client_ca, kMostFileBytes));
  }
  return grpc::SslServerCredentials(tls);
}

/// What strangers can make the server spend.
void limit(grpc::ServerBuilder& builder, const ServerOptions& options) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(kMostBatchBytes));
  builder.SetMaxSendMessageSize(-1);
  // gRPC inflates a message before it looks at its size: compressed ones are rejected by their header, and none is inflated.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 16);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 8 << 10);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 300000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 2);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000);
  grpc::ResourceQuota quota("hilo");
  quota.Resize(static_cast<size_t>(options.sessions.sessions + 4) * (size_t{16} << 20));
  builder.SetResourceQuota(quota);
}

}  // namespace

StatusOr<std::unique_ptr<Server>> serve_grpc(const ServerOptions& options, StartWorker start_worker) {
  std::vector<NamedToken> tokens;
  if (!options.token_file.empty()) {
    HILO_ASSIGN_OR_RETURN(tokens, read_tokens(options.token_file));
  }
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<grpc::ServerCredentials> known, credentials(options));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  limit(builder, options);
  auto server = std::make_unique<GrpcServer>(options.sessions, std::move(start_worker), std::move(tokens));
  HILO_RETURN_IF_ERROR(server->start(builder, options, known));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace hilo::rpc
