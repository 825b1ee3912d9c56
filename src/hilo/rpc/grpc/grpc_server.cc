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
#include "hilo/rpc/secret_file.h"
#include "hilo/rpc/user_token.h"
#include "hilo/version.h"

namespace hilo::rpc {
namespace {

constexpr int64_t kMaxFileBytes = 1 << 20;
constexpr std::chrono::seconds kShutdown{1};

class GrpcServer final : public Server {
 public:
  /// `user_token` is the token that clients of this user find; "" means none.
  GrpcServer(const SessionLimits& limits, StartWorker start_worker, std::vector<NamedToken> tokens,
             std::string user_token, std::unique_ptr<Audit> audit)
      : audit_(std::move(audit)),
        sessions_(
            limits, std::move(start_worker),
            [this](std::string_view event, int64_t session, const Peer& peer, std::string_view cause) {
              record({.event = event, .peer = peer.name, .token = peer.token, .session = session, .cause = cause});
            }),
        service_(sessions_, std::move(tokens),
                 {.judged = [this](const std::string& peer, bool is_known) { judge(peer, is_known); },
                  .began = [this](const std::string& peer) { begin_call(peer); },
                  .ended = [this](const std::string& peer) { end_call(peer); },
                  .overview = [this] { return overview(); },
                  .name_of = [this](const std::string& peer) { return name_of(peer); },
                  .refused =
                      [this](const Peer& peer, std::string_view cause) {
                        record({.event = "refused", .peer = peer.name, .token = peer.token, .cause = cause});
                      }}),
        token_(std::move(user_token)) {}
  ~GrpcServer() override {
    if (server_ == nullptr) return;
    sessions_.drain();
    server_->Shutdown(std::chrono::system_clock::now() + kShutdown);
    server_->Wait();
    close_door();  // new clients can't connect
  }
  Status start(grpc::ServerBuilder& builder, const ServerOptions& options,
               const std::shared_ptr<grpc::ServerCredentials>& credentials) {
    using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
    acceptor_ = builder.experimental().AddExternalConnectionAcceptor(Type::FROM_FD, credentials);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) return unavailable(options.listen + ": gRPC could not be started");
    DoorRules rules{.users = options.users, .all_users = options.is_open, .told = [this](const AuditEvent& event) {
                      record(event);
                    }};
    const std::scoped_lock lock(mutex_);
    HILO_ASSIGN_OR_RETURN(
        door_, Door::open(
                   options.listen, options.door, [this](OwnedFile connection) { hand_on(std::move(connection)); },
                   std::move(rules)));
    if (!token_.empty()) {
      HILO_ASSIGN_OR_RETURN(user_token_, UserToken::publish(door_->address(), token_));
    }
    record({.event = "started", .cause = door_->address()});
    return ok_status();
  }
  int port() const override { return door_->port(); }
  std::string address() const override { return door_->address(); }
  std::string token_path() const override { return user_token_.path(); }
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
  void begin_call(const std::string& peer) {
    const std::scoped_lock lock(mutex_);
    if (door_ != nullptr) door_->begin_call(peer);
  }
  void end_call(const std::string& peer) {
    const std::scoped_lock lock(mutex_);
    if (door_ != nullptr) door_->end_call(peer);
  }
  std::string name_of(const std::string& peer) const {
    const std::scoped_lock lock(mutex_);
    return door_ == nullptr ? peer : door_->name_of(peer);
  }
  void record(const AuditEvent& event) {
    if (audit_ != nullptr) audit_->record(event);
  }
  void close_door() {
    std::unique_ptr<Door> door;
    {
      const std::scoped_lock lock(mutex_);
      door.swap(door_);
    }
  }

  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const std::unique_ptr<Audit> audit_;  // destroyed after the members that use it
  Sessions sessions_;
  XrtService service_;
  const std::string token_;
  UserToken user_token_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  std::unique_ptr<Door> door_;  // callbacks may run before it is set and after it is destroyed
};

StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials(const ServerOptions& options) {
  if (options.tls_certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls(options.tls_client_ca.empty()
                                            ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                            : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  grpc::SslServerCredentialsOptions::PemKeyCertPair own;
  HILO_ASSIGN_OR_RETURN(own.cert_chain, read_file(options.tls_certificate, kMaxFileBytes));
  HILO_ASSIGN_OR_RETURN(own.private_key, read_secret(options.tls_key));
  tls.pem_key_cert_pairs.push_back(std::move(own));
  if (!options.tls_client_ca.empty()) {
    HILO_ASSIGN_OR_RETURN(tls.pem_root_certs, read_file(options.tls_client_ca, kMaxFileBytes));
  }
  return grpc::SslServerCredentials(tls);
}

/// Limits the resources that strangers can consume.
void limit(grpc::ServerBuilder& builder, const ServerOptions& options) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(kMaxBatchBytes));
  builder.SetMaxSendMessageSize(-1);
  // gRPC decompresses a message before it checks the size. So compression is disabled: compressed messages are rejected
  // by their header.
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
  std::string user_token;
  if (makes_token(options)) tokens = {{.token = user_token = random_token()}};
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Audit> audit, Audit::open(options.audit));
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<grpc::ServerCredentials> known, credentials(options));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  limit(builder, options);
  auto server = std::make_unique<GrpcServer>(options.sessions, std::move(start_worker), std::move(tokens),
                                             std::move(user_token), std::move(audit));
  HILO_RETURN_IF_ERROR(server->start(builder, options, known));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace hilo::rpc
