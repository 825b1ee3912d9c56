// SPDX-License-Identifier: Apache-2.0
// bench/rpc/echo.cc -- measures what calls.cc does, for a bare echo over gRPC in a separate process. One line per
// figure: NAME, a tab, FIGURE.
#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bench/rpc/workload.h"
#include "bench/timing.h"

namespace {

using namespace bench;

constexpr const char* kDrop = "/bench.Echo/Drop";  // the bytes are not read
constexpr const char* kKeep = "/bench.Echo/Keep";  // they go into an array, as those of an upload must
constexpr const char* kBack = "/bench.Echo/Back";  // a chunk comes back for each message

// ---- The echo.

/// Where a message's bytes go, one after the other.
void append(const std::vector<grpc::Slice>& slices, std::byte* array, size_t& size) {
  for (const grpc::Slice& slice : slices) {
    std::copy_n(reinterpret_cast<const std::byte*>(slice.begin()), slice.size(), array + size);
    size += slice.size();
  }
}

/// Answers each message with its first sixteen bytes, or with a chunk.
class EchoReactor final : public grpc::ServerGenericBidiReactor {
 public:
  EchoReactor(bool keeps, bool sends) : keeps_(keeps), chunk_(sends ? kChunkBytes : 0, 'x') { StartRead(&incoming_); }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    std::vector<grpc::Slice> slices;
    static_cast<void>(incoming_.Dump(&slices));
    if (keeps_) keep(slices);
    const grpc::Slice head = chunk_.empty() ? grpc::Slice(slices.at(0).begin(), std::min<size_t>(slices[0].size(), 16))
                                            : grpc::Slice(chunk_.data(), chunk_.size(), grpc::Slice::STATIC_SLICE);
    outgoing_ = grpc::ByteBuffer(&head, 1);
    StartWrite(&outgoing_);
  }
  void OnWriteDone(bool ok) override {
    if (ok) StartRead(&incoming_);
    else Finish(grpc::Status::OK);
  }
  void OnDone() override { delete this; }

 private:
  void keep(const std::vector<grpc::Slice>& slices) {
    if (array_ == nullptr) array_.reset(new std::byte[kLargeBytes]);
    append(slices, array_.get(), size_);
  }

  const bool keeps_;
  const std::string chunk_;
  grpc::ByteBuffer incoming_, outgoing_;
  std::unique_ptr<std::byte[]> array_;
  size_t size_ = 0;
};

class EchoService final : public grpc::CallbackGenericService {
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    return new EchoReactor(context->method() == kKeep, context->method() == kBack);
  }
};

/// Echoes until it is killed; its port is written to the file.
[[noreturn]] void echo(int port_file) {
  EchoService service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterCallbackGenericService(&service);
  const auto server = builder.BuildAndStart();
  if (::write(port_file, &port, sizeof(port)) != sizeof(port)) ::_exit(1);
  server->Wait();
  ::_exit(0);
}

/// One stream to the echo.
class EchoStream final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  /// `array`: where what comes goes; null: nowhere.
  EchoStream(int port, const char* method, std::byte* array = nullptr)
      : stub_(grpc::CreateChannel(fmt::format("127.0.0.1:{}", port), grpc::InsecureChannelCredentials())),
        array_(array) {
    stub_.PrepareBidiStreamingCall(&context_, method, {}, this);
    AddHold();
    StartRead(&incoming_);
    StartCall();
  }
  ~EchoStream() override {
    std::unique_lock lock(mutex_);
    StartWritesDone();
    RemoveHold();
    changed_.wait(lock, [this] { return is_done_; });
  }
  /// Sends it once fewer than this many messages wait to be sent.
  void send(const grpc::Slice& bytes, size_t most_waiting) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < most_waiting; });
    waiting_.emplace_back(&bytes, 1);
    ++sent_;
    if (!is_writing_) write_locked();
  }
  /// Until all have been answered.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answered_ == sent_; });
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (array_ != nullptr) {
      std::vector<grpc::Slice> slices;
      static_cast<void>(incoming_.Dump(&slices));
      append(slices, array_, size_);
    }
    {
      const std::scoped_lock lock(mutex_);
      if (++answered_ == sent_) changed_.notify_all();
    }
    StartRead(&incoming_);
  }
  void OnWriteDone(bool) override {
    const std::scoped_lock lock(mutex_);
    is_writing_ = false;
    if (!waiting_.empty()) write_locked();
    changed_.notify_all();
  }
  void OnDone(const grpc::Status&) override {
    const std::scoped_lock lock(mutex_);
    is_done_ = true;
    changed_.notify_all();
  }

 private:
  void write_locked() {
    is_writing_ = true;
    outgoing_ = std::move(waiting_.front());
    waiting_.pop_front();
    StartWrite(&outgoing_);
  }

  grpc::GenericStub stub_;
  std::byte* const array_;
  size_t size_ = 0;
  grpc::ClientContext context_;
  grpc::ByteBuffer incoming_, outgoing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<grpc::ByteBuffer> waiting_;
  int64_t sent_ = 0, answered_ = 0;
  bool is_writing_ = false, is_done_ = false;
};

/// Precondition: this process has no threads.
Child start_echo() {
  int files[2];
  if (::pipe(files) != 0) std::exit(1);
  const pid_t child = ::fork();
  if (child == 0) {
    end_with_parent();
    echo(files[1]);
  }
  int port = 0;
  if (::read(files[0], &port, sizeof(port)) != sizeof(port)) std::exit(1);
  return {child, port};
}

double small_call(EchoStream& stream) {
  const grpc::Slice small(std::string(16, 'x'));
  return median_microseconds([&] {
    stream.send(small, 1);
    stream.wait();
  });
}

double calls_a_second(EchoStream& stream) {
  const grpc::Slice small(std::string(kPipelinedBytes, 'x'));
  const auto start = Clock::now();
  for (int64_t i = 0; i < kPipelined; ++i) stream.send(small, kPipelined);
  stream.wait();
  return kPipelined / microseconds_since(start) * 1e6;
}

double gigabytes_a_second(int port, const char* method, const std::vector<std::byte>& large) {
  EchoStream stream(port, method);
  const auto start = Clock::now();
  for (size_t k = 0; k < large.size(); k += kChunkBytes)
    stream.send(grpc::Slice(large.data() + k, kChunkBytes, grpc::Slice::STATIC_SLICE), kChunksInFlight);
  stream.wait();
  return static_cast<double>(large.size()) / microseconds_since(start) / 1e3;
}

double gigabytes_back(int port) {
  const std::unique_ptr<std::byte[]> array(new std::byte[kLargeBytes]);
  EchoStream stream(port, kBack, array.get());
  const grpc::Slice small(std::string(16, 'x'));
  const auto start = Clock::now();
  for (size_t k = 0; k < kLargeBytes; k += kChunkBytes) stream.send(small, kChunksInFlight);
  stream.wait();
  return static_cast<double>(kLargeBytes) / microseconds_since(start) / 1e3;
}

}  // namespace

int main() {
  const Child server = start_echo();
  {
    EchoStream stream(server.port, kDrop);
    print_figure(kSmallCall, small_call(stream));
    print_figure(kCallsASecond, calls_a_second(stream));
  }
  const std::vector<std::byte> large(kLargeBytes, std::byte{1});
  print_figure(kUpload, gigabytes_a_second(server.port, kKeep, large));
  print_figure(kUploadDropped, gigabytes_a_second(server.port, kDrop, large));
  print_figure(kDownload, gigabytes_back(server.port));
}
