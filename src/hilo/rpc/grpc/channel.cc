// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/grpc/channel.h"

#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <array>
#include <future>
#include <mutex>

#include "hilo/rpc/grpc/batches.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {
namespace {

constexpr std::chrono::seconds kAnswerTime{10};
constexpr std::array<const char*, kLanes> kMethods = {"/hilo.xrt.v1.Xrt/Calls", "/hilo.xrt.v1.Xrt/Bytes"};

/// Adds a hint about TLS, because gRPC doesn't report that only one side uses it.
Status with_hint(const Status& status, bool is_encrypted) {
  const auto says = [&](std::string_view text) { return status.message().find(text) != std::string_view::npos; };
  std::string_view hint;
  if (!is_encrypted && says("Socket closed")) hint = "if the server uses TLS, set HILO_XRT_TLS_CA";
  if (is_encrypted && says("wrong version number")) hint = "the server doesn't use TLS, but HILO_XRT_TLS_CA is set";
  if (hint.empty()) return status;
  return {status.code(), fmt::format("{}. Hint: {}", status.message(), hint)};
}

/// One stream. It owns itself until gRPC has ended it.
class Stream final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                     public std::enable_shared_from_this<Stream> {
 public:
  Stream(const std::shared_ptr<grpc::Channel>& channel, bool is_encrypted, std::shared_ptr<Receiver> receiver)
      : stub_(channel), is_encrypted_(is_encrypted), receiver_(std::move(receiver)) {}

  void start(const char* method, const std::string& token) {
    self_ = shared_from_this();
    if (!token.empty()) context_.AddMetadata("authorization", "Bearer " + token);
    stub_.PrepareBidiStreamingCall(&context_, method, {}, this);
    AddHold();  // writes begin outside of gRPC's callbacks; the hold ends with the reading
    StartRead(&incoming_);
    StartCall();
  }
  void send(const Message& message) {
    const std::scoped_lock lock(mutex_);
    if (!is_open_) return;
    waiting_.add(*message);
    if (!is_writing_) write_locked();
  }
  /// Ends the stream at once.
  void cut() { context_.TryCancel(); }
  /// Closes the sending side.
  void close() {
    const std::scoped_lock lock(mutex_);
    is_closing_ = true;
    if (is_open_ && !is_writing_) StartWritesDone();
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      {
        const std::scoped_lock lock(mutex_);
        is_open_ = false;
      }
      return RemoveHold();
    }
    for (Pieces left = pieces_of(incoming_); !left.empty();) {
      const StatusOr<Pieces> message = take_from_batch(left);
      if (!message.ok()) {
        context_.TryCancel();
        break;
      }
      receiver_->on_message(*message);
    }
    StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    const std::scoped_lock lock(mutex_);
    is_writing_ = false;
    outgoing_.Clear();  // releases bytes that may belong to a caller
    if (!ok || !is_open_) return;
    if (!waiting_.empty()) write_locked();
    else if (is_closing_) StartWritesDone();
  }
  void OnDone(const grpc::Status& status) override {
    receiver_->on_closed(with_hint(from_grpc(status), is_encrypted_));
    self_.reset();
  }

 private:
  void write_locked() {
    is_writing_ = true;
    outgoing_ = waiting_.take();
    StartWrite(&outgoing_);
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  const bool is_encrypted_;
  const std::shared_ptr<Receiver> receiver_;
  std::shared_ptr<Stream> self_;
  grpc::ByteBuffer incoming_, outgoing_;
  std::mutex mutex_;
  Batches waiting_;
  bool is_open_ = true, is_writing_ = false, is_closing_ = false;
};

class GrpcConnection final : public Connection {
 public:
  GrpcConnection(std::shared_ptr<grpc::Channel> channel, const ChannelOptions& options,
                 std::shared_ptr<Receiver> receiver)
      : channel_(std::move(channel)),
        token_(options.token),
        is_encrypted_(!options.ca.empty()),
        receiver_(std::move(receiver)) {}
  ~GrpcConnection() override {
    for (const auto& stream : streams_) {
      if (stream != nullptr) stream->close();
    }
  }
  void cut() override {
    for (const auto& stream : streams_) {
      if (stream != nullptr) stream->cut();
    }
  }
  void send(Lane lane, const Message& message) override {
    const auto i = static_cast<size_t>(lane);
    if (streams_[i] == nullptr) {
      streams_[i] = std::make_shared<Stream>(channel_, is_encrypted_, receiver_);
      streams_[i]->start(kMethods[i], token_);
    }
    streams_[i]->send(message);
  }

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  const std::string token_;
  const bool is_encrypted_;
  const std::shared_ptr<Receiver> receiver_;
  std::array<std::shared_ptr<Stream>, kLanes> streams_;
};

std::shared_ptr<grpc::ChannelCredentials> credentials(const ChannelOptions& options) {
  if (options.ca.empty()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials(
      {.pem_root_certs = options.ca, .pem_private_key = options.key, .pem_cert_chain = options.certificate});
}

StatusOr<std::shared_ptr<grpc::Channel>> make_channel(const ChannelOptions& options) {
  if (!options.token.empty() && options.ca.empty() && !is_local(options.address))
    return failed_precondition("a token can be sent to another machine only with TLS. Hint: set HILO_XRT_TLS_CA");
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(kMaxBatchBytes));
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);  // so that a message has exactly its stated size
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);         // a new connection, not a shared one
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);                    // the session retries calls
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
  const std::shared_ptr<grpc::Channel> channel =
      grpc::CreateCustomChannel(options.address, credentials(options), arguments);
  // gRPC 1.51 sometimes aborts when its callback queue ends with the last channel and server, so one channel is never
  // destroyed.
  static auto* const first = new std::shared_ptr<grpc::Channel>(channel);
  static_cast<void>(first);
  return channel;
}

StatusOr<Overview> ask(const std::shared_ptr<grpc::Channel>& channel, const std::string& token) {
  grpc::ClientContext context;
  if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
  context.set_deadline(std::chrono::system_clock::now() + kAnswerTime);
  grpc::GenericStub service(channel);
  const grpc::Slice empty;
  const grpc::ByteBuffer nothing(&empty, 1);  // a buffer without a slice isn't a message
  grpc::ByteBuffer answer;
  std::promise<grpc::Status> done;
  service.UnaryCall(&context, "/hilo.xrt.v1.Xrt/Watch", {}, &nothing, &answer,
                    [&done](const grpc::Status& status) { done.set_value(status); });
  HILO_RETURN_IF_ERROR(from_grpc(done.get_future().get()));
  return decode_overview(pieces_of(answer).whole());
}

}  // namespace

StatusOr<std::unique_ptr<Connection>> connect_grpc(const ChannelOptions& options, std::shared_ptr<Receiver> receiver) {
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel, make_channel(options));
  return std::unique_ptr<Connection>(
      std::make_unique<GrpcConnection>(std::move(channel), options, std::move(receiver)));
}

StatusOr<AskOverview> watch_grpc(const ChannelOptions& options) {
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel, make_channel(options));
  return AskOverview([channel = std::move(channel), token = options.token] { return ask(channel, token); });
}

}  // namespace hilo::rpc
