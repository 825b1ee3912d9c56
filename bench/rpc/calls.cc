// SPDX-License-Identifier: Apache-2.0
// bench/rpc/calls.cc -- costs of calls to `hilo serve`, a separate process, and of a training loop whose state stays
// there, next to the same loop here. One line per figure: NAME, a tab, FIGURE.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>

#include "bench/rpc/workload.h"
#include "bench/timing.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/rpc/client/remote_client.h"

namespace {

using namespace bench;
using namespace hilo;

constexpr int64_t kSteps = 1000;  // of training
constexpr double kStepMicroseconds = 1000;

[[noreturn]] void give_up(std::string_view why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

template <typename T>
T or_end(StatusOr<T> value) {
  if (!value.ok()) give_up(value.status().to_string());
  return *std::move(value);
}

Child start_server() {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = own.parent_path().parent_path().parent_path() / "hilo";
  int files[2];
  if (::pipe(files) != 0) std::exit(1);
  const pid_t child = ::fork();
  if (child == 0) {
    end_with_parent();
    ::dup2(files[1], STDOUT_FILENO);
    ::execl(command.c_str(), "hilo", "serve", "--listen", "127.0.0.1:0", "--drain", "0", nullptr);
    ::_exit(1);
  }
  ::close(files[1]);
  std::string line;  // "serving at 127.0.0.1:1234"
  for (char byte = 0; byte != '\n'; line += byte) {
    if (::read(files[0], &byte, 1) != 1) give_up(command + " serve doesn't start");
  }
  return {child, std::stoi(line.substr(line.rfind(':') + 1))};
}

/// Programs and their state on one client's first device.
class Place {
 public:
  explicit Place(ClientPtr client) : client_(std::move(client)), device_(or_end(client_->local_device(0))) {}

  std::unique_ptr<Executable> compile(const std::string& text) {
    return or_end(client_->compile(or_end(hlo::parse_module(text)), {}, nullptr));
  }
  BufferPtr upload(const Literal& value) { return or_end(buffer_from_literal(*device_, value)); }
  /// The program on the state, whose memory the result takes. Nothing waits.
  static void step(Executable& program, BufferPtr& state) {
    constexpr bool kDonated[] = {true};
    BufferPtr next;
    const DeviceRun run{{&state, 1}, {&next, 1}};
    static_cast<void>(or_end(program.launch({&run, 1}, {.donated = kDonated, .asynchronous = true})));
    state = std::move(next);
  }
  Device& device() { return *device_; }

 private:
  ClientPtr client_;
  DevicePtr device_;
};

constexpr const char* kIncrement =
    "HloModule increment\nENTRY e {\n  x = s32[4] parameter(0)\n  one = s32[4] constant({1, 1, 1, 1})\n"
    "  ROOT y = s32[4] add(x, one)\n}\n";

/// A step of training: each element of the state moves by a function of itself.
std::string step_text(int64_t elements) {
  std::string text = fmt::format("HloModule step\nENTRY e {{\n  x = f32[{}] parameter(0)\n  s0 = f32[{}] sine(x)\n",
                                 elements, elements);
  constexpr int kLayers = 4;
  for (int k = 1; k < kLayers; ++k) text += fmt::format("  s{} = f32[{}] sine(s{})\n", k, elements, k - 1);
  return text + fmt::format("  ROOT y = f32[{}] subtract(x, s{})\n}}\n", elements, kLayers - 1);
}

Literal training_state(int64_t elements) {
  Literal state(Shape::array(ElementType::kF32, {elements}));
  std::iota(state.data<float>().begin(), state.data<float>().end(), 1.0f);
  return state;
}

/// Microseconds of kSteps steps and of reading the first state's successor.
double train(Place& place, int64_t elements, int64_t steps) {
  const auto program = place.compile(step_text(elements));
  BufferPtr state = place.upload(training_state(elements));
  Place::step(*program, state);
  or_end(literal_from_buffer(*state));
  const auto start = Clock::now();
  for (int64_t i = 0; i < steps; ++i) Place::step(*program, state);
  or_end(literal_from_buffer(*state));
  return microseconds_since(start);
}

/// Elements of a state whose step takes a millisecond here.
int64_t elements_for_a_step(Place& here) {
  int64_t elements = 1 << 14;
  for (int i = 0; i < 4; ++i) {
    const double took = train(here, elements, 200) / 200;
    elements = std::max<int64_t>(1024, static_cast<int64_t>(static_cast<double>(elements) * kStepMicroseconds / took));
  }
  return elements;
}

double small_call(Place& there) {
  return median_microseconds([&] { static_cast<void>(there.device().statistics()); });
}

double run_and_read(Place& there) {
  const auto program = there.compile(kIncrement);
  BufferPtr state = there.upload(Literal::array<int32_t>({4}, {0, 0, 0, 0}));
  return median_microseconds([&] {
    Place::step(*program, state);
    or_end(literal_from_buffer(*state));
  });
}

double calls_a_second(Place& there, Executable& program) {
  BufferPtr state = there.upload(Literal::array<int32_t>({4}, {0, 0, 0, 0}));
  const auto start = Clock::now();
  for (int64_t i = 0; i < kPipelined; ++i) Place::step(program, state);
  const Literal last = or_end(literal_from_buffer(*state));
  const double rate = kPipelined / microseconds_since(start) * 1e6;
  if (last.data<int32_t>()[0] != kPipelined) give_up("a step is missing, or ran twice");
  return rate;
}

double rate_since(Clock::time_point start) {
  return static_cast<double>(kLargeBytes) / microseconds_since(start) / 1e3;
}

void there_and_back(Place& there) {
  const Literal large(Shape::array(ElementType::kF32, {static_cast<int64_t>(kLargeBytes / sizeof(float))}));
  const auto start = Clock::now();
  const BufferPtr buffer = there.upload(large);
  if (const Status status = buffer->ready().await(); !status.ok()) give_up(status.to_string());
  print_figure(kUpload, rate_since(start));
  const auto again = Clock::now();
  or_end(literal_from_buffer(*buffer));
  print_figure(kDownload, rate_since(again));
}

}  // namespace

int main() {
  const Child server = start_server();
  Place there(
      or_end(rpc::make_remote_client({.backend = "xrt", .target = fmt::format("rpc:127.0.0.1:{}", server.port)})));
  Place here(or_end(make_platform_client("Host", {})));
  print_figure(kSmallCall, small_call(there));
  print_figure("a run of a small program, and reading what it made, us", run_and_read(there));
  const auto increment = there.compile(kIncrement);
  print_figure(kCallsASecond, calls_a_second(there, *increment));
  there_and_back(there);
  const int64_t elements = elements_for_a_step(here);
  print_figure("training here, ms", train(here, elements, kSteps) / 1e3);
  print_figure("training there, ms", train(there, elements, kSteps) / 1e3);
}
