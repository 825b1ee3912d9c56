// SPDX-License-Identifier: Apache-2.0
// bench/rpc/rpc.cc -- `rpc HILO`: what a server costs beside a bare echo over the same gRPC, in the same run and with the same
// streams: a small call, an upload, small calls one after the other without waiting, and a loop whose state stays there.
#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "hilo/client/platforms.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/rpc/client/remote_client.h"

namespace hilo::bench {
namespace {

using Clock = std::chrono::steady_clock;
using grpc::ByteBuffer;

constexpr int kCalls = 5000;       // whose median is taken
constexpr int kPipelined = 50000;  // that wait for nothing
constexpr int kWindow = 8;         // chunks on their way
constexpr size_t kChunk = size_t{1} << 20;
constexpr int64_t kUpload = int64_t{1} << 30;
constexpr int kSteps = 1000;
constexpr int kRepeats = 3;

template <typename T>
T good(StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  fmt::print(stderr, "rpc: {}\n", result.status().to_string());
  std::exit(1);
}
void good(const Status& status) { good(status.ok() ? StatusOr<int>(0) : StatusOr<int>(status)); }

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

ByteBuffer message(size_t bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

// ---- The bare echo: small messages come back, of large ones a byte.

class Echo final : public grpc::ServerGenericBidiReactor {
 public:
  Echo() { StartRead(&incoming_); }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    outgoing_ = incoming_.Length() > kChunk / 2 ? message(1) : incoming_;
    StartWrite(&outgoing_);
  }
  void OnWriteDone(bool ok) override {
    if (ok) StartRead(&incoming_);
  }
  void OnDone() override { delete this; }

 private:
  ByteBuffer incoming_, outgoing_;
};
class EchoService final : public grpc::CallbackGenericService {
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override { return new Echo; }
};

[[noreturn]] void serve_echo(int port_pipe) {
  EchoService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&service);
  builder.SetMaxReceiveMessageSize(-1);
  const auto server = builder.BuildAndStart();
  if (::write(port_pipe, &port, sizeof(port)) != sizeof(port)) std::_Exit(1);
  server->Wait();
  std::_Exit(0);
}

/// One stream to the echo. A message may be sent while others are on their way.
class EchoClient final : public grpc::ClientBidiReactor<ByteBuffer, ByteBuffer> {
 public:
  explicit EchoClient(int port)
      : stub_(grpc::CreateChannel(fmt::format("127.0.0.1:{}", port), grpc::InsecureChannelCredentials())) {
    stub_.PrepareBidiStreamingCall(&context_, "/echo/Echo", {}, this);
    StartRead(&incoming_);
    AddHold();
    StartCall();
  }
  ~EchoClient() override {
    context_.TryCancel();
    RemoveHold();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_over_; });
  }
  /// Sends `count` messages, at most `window` of them unanswered, and waits for all answers.
  void run(int count, int window, size_t bytes) {
    std::unique_lock lock(mutex_);
    const int64_t first = answered_;
    for (int i = 0; i < count; ++i) {
      changed_.wait(lock, [&] { return !is_writing_ && i - (answered_ - first) < window; });
      outgoing_ = message(bytes);
      is_writing_ = true;
      StartWrite(&outgoing_);
    }
    changed_.wait(lock, [&] { return answered_ - first == count && !is_writing_; });
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    {
      const std::scoped_lock lock(mutex_);
      ++answered_;
    }
    changed_.notify_all();
    StartRead(&incoming_);
  }
  void OnWriteDone(bool) override {
    const std::scoped_lock lock(mutex_);
    is_writing_ = false;
    changed_.notify_all();
  }
  void OnDone(const grpc::Status&) override {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }

 private:
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  ByteBuffer incoming_, outgoing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t answered_ = 0;
  bool is_writing_ = false, is_over_ = false;
};

// ---- hilo.

/// A server process, which ends with this.
class HiloServer {
 public:
  explicit HiloServer(const std::string& hilo)
      : port_file_(std::filesystem::temp_directory_path() / fmt::format("hilo_bench_{}", ::getpid())) {
    process_ = ::fork();
    if (process_ == 0) {
      ::execl(hilo.c_str(), hilo.c_str(), "serve", "--listen", "127.0.0.1:0", "--port-file", port_file_.c_str(),
              nullptr);
      std::_Exit(127);
    }
    for (std::string port; port.empty(); std::this_thread::yield()) {
      std::ifstream(port_file_) >> port;
      if (::waitpid(process_, nullptr, WNOHANG) != 0) good(unavailable(hilo + " serve doesn't start"));
      target_ = "rpc:127.0.0.1:" + port;
    }
  }
  ~HiloServer() {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
    std::filesystem::remove(port_file_);
  }
  ClientPtr client() const { return good(rpc::make_remote_client({.backend = "xrt", .target = target_})); }

 private:
  const std::filesystem::path port_file_;
  pid_t process_ = 0;
  std::string target_;
};

BufferPtr launch(Executable& program, const BufferPtr& argument) {
  BufferPtr result;
  const DeviceRun run{{&argument, 1}, {&result, 1}};
  const bool donated[] = {true};
  good(program.launch({&run, 1}, {.donated = donated, .asynchronous = true}).status());
  return result;
}

constexpr const char* kStep =
    "HloModule step\nENTRY e {\n  x = s32[4] parameter(0)\n  c = s32[4] constant({1, 1, 1, 1})\n  ROOT y = s32[4] "
    "add(x, c)\n}\n";
/// About a millisecond.
constexpr const char* kTraining = R"(HloModule training
ENTRY e {
  x = f32[256,256] parameter(0)
  d = f32[256,256] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[256,256] tanh(d)
  e = f32[256,256] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT y = f32[256,256] tanh(e)
})";

double small_call(Client& client) {
  const BufferPtr x =
      good(buffer_from_literal(*good(client.local_device(0)), Literal::array<int32_t>({4}, {1, 2, 3, 4})));
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const auto start = Clock::now();
    good(literal_from_buffer(*x).status());
    times.push_back(seconds_since(start));
  }
  return median(times);
}

double upload(Client& client, const Literal& large) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = Clock::now();
    good(buffer_from_literal(*good(client.local_device(0)), large).status());
    times.push_back(seconds_since(start));
  }
  return static_cast<double>(kUpload) / median(times);
}

double pipelined(Client& client) {
  const auto program = good(client.compile(*hlo::parse_module(kStep), {}, nullptr));
  BufferPtr x = good(buffer_from_literal(*good(client.local_device(0)), Literal::array<int32_t>({4}, {0, 0, 0, 0})));
  const auto start = Clock::now();
  for (int i = 0; i < kPipelined; ++i) x = launch(*program, x);
  const Literal value = good(literal_from_buffer(*x));
  const double seconds = seconds_since(start);
  if (value.data<int32_t>()[0] != kPipelined) good(data_loss("a call is missing"));
  return kPipelined / seconds;
}

/// Seconds a step of a loop that waits for nothing but its end.
double training(Client& client) {
  const auto program = good(client.compile(*hlo::parse_module(kTraining), {}, nullptr));
  BufferPtr x =
      good(buffer_from_literal(*good(client.local_device(0)), Literal(Shape::array(ElementType::kF32, {256, 256}))));
  x = launch(*program, x);
  good(literal_from_buffer(*x).status());
  const auto start = Clock::now();
  for (int i = 0; i < kSteps; ++i) x = launch(*program, x);
  good(literal_from_buffer(*x).status());
  return seconds_since(start) / kSteps;
}

double echo_call(EchoClient& echo) {
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const auto start = Clock::now();
    echo.run(1, 1, 16);
    times.push_back(seconds_since(start));
  }
  return median(times);
}

double echo_upload(EchoClient& echo) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = Clock::now();
    echo.run(static_cast<int>(kUpload / static_cast<int64_t>(kChunk)), kWindow, kChunk);
    times.push_back(seconds_since(start));
  }
  return static_cast<double>(kUpload) / median(times);
}

double echo_pipelined(EchoClient& echo) {
  const auto start = Clock::now();
  echo.run(kPipelined, 64, 64);
  return kPipelined / seconds_since(start);
}

int run(const std::string& hilo) {
  std::array<int, 2> ports{};
  if (::pipe(ports.data()) != 0) return 1;
  const pid_t echo_process = ::fork();  // before any thread
  if (echo_process == 0) serve_echo(ports[1]);
  const HiloServer server(hilo);
  int port = 0;
  if (::read(ports[0], &port, sizeof(port)) != sizeof(port)) return 1;
  {
    EchoClient echo(port);
    const ClientPtr there = server.client(), here = good(make_platform_client("Host", {}));
    Literal large(Shape::array(ElementType::kS8, {kUpload}));
    std::ranges::fill(large.data<int8_t>(), int8_t{1});

    echo_call(echo);
    small_call(*there);
    const double echo_small = 1e6 * echo_call(echo), small = 1e6 * small_call(*there);
    fmt::print("a small call: {:.0f} us; a bare echo {:.0f}: {:.2f} times (aim at most 1.3)\n", small, echo_small,
               small / echo_small);
    const double echo_bytes = echo_upload(echo) / 1e9, bytes = upload(*there, large) / 1e9;
    fmt::print("an upload of 1 GiB: {:.2f} GB/s; a bare echo {:.2f}: {:.0f} % (aim 80)\n", bytes, echo_bytes,
               100 * bytes / echo_bytes);
    const double echo_many = echo_pipelined(echo), many = pipelined(*there);
    fmt::print("runs without waiting: {:.0f} a second; a bare echo {:.0f} (aim 10000)\n", many, echo_many);
    const double local = 1e3 * training(*here), remote = 1e3 * training(*there);
    fmt::print("a training step: {:.2f} ms; here {:.2f}: {:.2f} times (aim at most 1.2)\n", remote, local,
               remote / local);
  }
  ::kill(echo_process, SIGKILL);
  ::waitpid(echo_process, nullptr, 0);
  return 0;
}

}  // namespace
}  // namespace hilo::bench

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: rpc HILO\n");
    return 2;
  }
  return hilo::bench::run(arguments[1]);
}
