// SPDX-License-Identifier: Apache-2.0
// tests/soak/client.cc -- correct clients of a server, each a session on its own thread. They compute every expected
// result themselves: sums of integers that start with the session's number. Prints one JSON line with their
// observations. In the other mode, reads the number of round trips per session from each line of stdin and prints a
// line for each.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "hilo/hlo/text/parser.h"
#include "hilo/rpc/client/remote_client.h"

namespace hilo::soak {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kStep = R"(HloModule step
ENTRY e {
  state = s64[2] parameter(0)
  one = s64[2] constant({0, 1})
  ROOT next = s64[2] add(state, one)
})";
constexpr int64_t kLarge = 40000;  // elements of an array that is sent in chunks
constexpr int kPipelined = 32;     // steps sent without waiting for replies
constexpr size_t kWarmUp = 20;     // first round trips, which are not timed
constexpr int64_t kLookEvery = 16, kLargeEvery = 64, kCompileEvery = 256;

/// The observations of all sessions.
struct Report {
  std::mutex mutex;
  int64_t calls = 0, wrong = 0, lost = 0, leaked = 0, sessions = 0, restarts = 0;
  int64_t refused = 0;  // sessions that failed to start and were retried
  std::map<std::string, int64_t> errors;
  std::string first;
  std::vector<double> microseconds;
};

/// The early end of a session.
struct Ended {
  Status why;
};

template <typename T>
T or_end(StatusOr<T> result) {
  if (!result.ok()) throw Ended{result.status()};
  return *std::move(result);
}
void or_end(const Status& status) {
  if (!status.ok()) throw Ended{status};
}

/// A session with its expected state.
class Session {
 public:
  Session(std::string target, uint64_t seed, Report& report)
      : target_(std::move(target)), random_(seed), report_(report) {}

  /// Runs until the time is over or the session ends.
  void run(Clock::time_point end) {
    try {
      begin();
      while (Clock::now() < end) round();
      look_at_buffers();
    } catch (const Ended& ended) {
      ended_by(ended.why);
    }
    add_up();
  }

  /// Runs at most `rounds` round trips and another program, and returns their number. Starts the session first if
  /// necessary. A smaller number means that the session ended early.
  int64_t take(int64_t rounds) {
    int64_t made = 0;
    try {
      if (client_ == nullptr) begin();
      for (; made < rounds; ++made) round();
      compile_another();
    } catch (const Ended& ended) {
      ended_by(ended.why);
    }
    return made;
  }
  bool has_ended() const { return has_ended_; }
  /// The final checks of a session that uses take().
  void finish() {
    try {
      if (client_ != nullptr && !has_ended_) look_at_buffers();
    } catch (const Ended& ended) {
      ended_by(ended.why);
    }
  }
  /// Adds the counts since the last call to the report.
  void add_up() {
    const std::scoped_lock lock(report_.mutex);
    report_.calls += std::exchange(calls_, 0);
    if (!std::exchange(is_counted_, true)) ++report_.sessions;
    report_.microseconds.insert(report_.microseconds.end(), microseconds_.begin(), microseconds_.end());
    microseconds_.clear();
  }

 private:
  /// Precondition: the caller holds the report's mutex.
  void note(int64_t& count, const std::string& what) {
    if (report_.first.empty()) report_.first = what;
    ++count;
  }
  void ended_by(const Status& why) {
    const std::scoped_lock lock(report_.mutex);
    has_ended_ = true;
    ++report_.errors[std::string(status_code_name(why.code()))];
    if (why.code() != StatusCode::kUnavailable) note(report_.wrong, why.to_string());
    ++(has_begun_ ? report_.restarts : report_.refused);
  }
  void begin() {
    client_ = or_end(rpc::make_remote_client({.backend = "xrt", .target = target_}));
    device_ = or_end(client_->local_device(0));
    own_ = static_cast<int64_t>(random_() >> 2);
    step_ = compile(kStep);
    state_ = upload(Literal::array<int64_t>({2}, {own_, 0}));
    steps_ = 0;
    has_begun_ = true;
  }
  std::unique_ptr<Executable> compile(const std::string& text) {
    ++calls_;
    return or_end(client_->compile(*hlo::parse_module(text), {}, nullptr));
  }
  BufferPtr upload(const Literal& value) {
    ++calls_;
    return or_end(buffer_from_literal(*device_, value));
  }
  Literal download(const BufferPtr& buffer) {
    ++calls_;
    return or_end(literal_from_buffer(*buffer));
  }
  BufferPtr launch(Executable& program, const BufferPtr& argument, bool donates) {
    ++calls_;
    BufferPtr result;
    const DeviceRun run{{&argument, 1}, {&result, 1}};
    const bool donated[] = {donates};
    or_end(program.launch({&run, 1}, {.donated = donated, .asynchronous = true}).status());
    return result;
  }
  void take_step() {
    state_ = launch(*step_, state_, true);
    ++steps_;
  }
  void round() {
    const auto started = Clock::now();
    take_step();
    check_state();
    const std::chrono::duration<double, std::micro> took = Clock::now() - started;
    if (++rounds_ > kWarmUp) microseconds_.push_back(took.count());
    if (rounds_ % kLookEvery == 0) {
      for (int i = 0; i < kPipelined; ++i) take_step();
    }
    if (rounds_ % kLargeEvery == 0) move_large();
    if (rounds_ % kCompileEvery == 0) compile_another();
  }
  /// Checks that each answered step counts once, and that no other session changed the state.
  void check_state() {
    const Literal value = download(state_);
    const std::span<const int64_t> got = value.data<int64_t>();
    if (got[0] == own_ && got[1] == steps_) return;
    const std::scoped_lock lock(report_.mutex);
    const bool lost = got[0] == own_ && got[1] < steps_;
    note(lost ? report_.lost : report_.wrong,
         fmt::format("state: got {{{}, {}}}; wanted {{{}, {}}}", got[0], got[1], own_, steps_));
  }
  void move_large() {
    Literal value(Shape::array(ElementType::kS64, {kLarge}));
    for (int64_t& v : value.data<int64_t>()) v = static_cast<int64_t>(random_());
    if (download(upload(value)).identical(value)) return;
    const std::scoped_lock lock(report_.mutex);
    note(report_.wrong, "a large array came back otherwise");
  }
  void compile_another() {
    const auto constant = static_cast<int64_t>(random_() >> 8);
    const auto program = compile(fmt::format(
        "HloModule other\nENTRY e {{\n  x = s64[2] parameter(0)\n  c = s64[2] constant({{0, {}}})\n  ROOT y = s64[2] "
        "add(x, c)\n}}\n",
        constant));
    const Literal value = download(launch(*program, state_, false));
    const std::span<const int64_t> got = value.data<int64_t>();
    if (got[0] == own_ && got[1] == steps_ + constant) return;
    const std::scoped_lock lock(report_.mutex);
    note(report_.wrong,
         fmt::format("another program: got {{{}, {}}}; wanted {{{}, {}}}", got[0], got[1], own_, steps_ + constant));
  }
  /// Checks that only the state's buffer is left.
  void look_at_buffers() {
    for (int i = 0; i < kPipelined; ++i) take_step();
    check_state();
    const int64_t live = device_->statistics().live_buffers;
    if (live == 1) return;
    check_state();  // sessions that have just ended don't count
    const std::scoped_lock lock(report_.mutex);
    note(report_.leaked, fmt::format("{} buffers are left of 1", live));
    report_.leaked += std::abs(live - 1) - 1;
  }

  const std::string target_;
  std::mt19937_64 random_;
  Report& report_;
  ClientPtr client_;
  DevicePtr device_;
  std::unique_ptr<Executable> step_;
  BufferPtr state_;
  int64_t own_ = 0, steps_ = 0, calls_ = 0;
  size_t rounds_ = 0;
  bool has_begun_ = false, has_ended_ = false, is_counted_ = false;
  std::vector<double> microseconds_;
};

double percentile(std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  return sorted[std::min(sorted.size() - 1, static_cast<size_t>(part * static_cast<double>(sorted.size())))];
}

std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

void print(Report& report) {
  std::ranges::sort(report.microseconds);
  std::string errors;
  for (const auto& [name, count] : report.errors)
    errors += fmt::format("{}\"{}\": {}", errors.empty() ? "" : ", ", name, count);
  fmt::print(
      "{{\"calls\": {}, \"wrong\": {}, \"lost\": {}, \"leaked\": {}, \"sessions\": {}, \"restarts\": {}, "
      "\"refused\": {}, \"p50\": {:.0f}, \"p99\": {:.0f}, \"errors\": {{{}}}, \"first\": \"{}\"}}\n",
      report.calls, report.wrong, report.lost, report.leaked, report.sessions, report.restarts, report.refused,
      percentile(report.microseconds, 0.5), percentile(report.microseconds, 0.99), errors, quoted(report.first));
}

int run(const std::string& target, double seconds, int sessions, uint64_t seed) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  Report report;
  std::vector<std::thread> threads;
  for (int i = 0; i < sessions; ++i) {
    threads.emplace_back([&, i] {
      // Starts a new session after the loss of one.
      for (uint64_t k = 0; Clock::now() < end; ++k)
        Session(target, seed * 1000003 + static_cast<uint64_t>(i) * 1009 + k, report).run(end);
    });
  }
  for (std::thread& thread : threads) thread.join();
  print(report);
  return report.wrong + report.lost + report.leaked == 0 ? 0 : 1;
}

/// A slot for one client. If its session ends early, another one starts.
class Seat {
 public:
  Seat(std::string target, uint64_t seed, Report& report) : target_(std::move(target)), seed_(seed), report_(report) {}
  void take(int64_t rounds) {
    for (int64_t left = rounds; left > 0;) {
      if (session_ == nullptr) session_ = std::make_unique<Session>(target_, seed_ + begun_++, report_);
      left -= session_->take(left);
      session_->add_up();
      if (session_->has_ended()) session_.reset();
    }
  }
  void finish() {
    if (session_ != nullptr) session_->finish();
  }

 private:
  const std::string target_;
  const uint64_t seed_;
  uint64_t begun_ = 0;
  Report& report_;
  std::unique_ptr<Session> session_;
};

/// Runs sessions by numbers of steps from stdin, one line at a time.
int run_steps(const std::string& target, int sessions, uint64_t seed) {
  Report report;
  std::vector<Seat> seats;
  for (int i = 0; i < sessions; ++i)
    seats.emplace_back(target, seed * 1000003 + static_cast<uint64_t>(i) * 1009, report);
  for (int64_t rounds = 0; std::scanf("%" SCNd64, &rounds) == 1;) {
    std::vector<std::thread> threads;
    for (Seat& seat : seats) threads.emplace_back([&seat, rounds] { seat.take(rounds); });
    for (std::thread& thread : threads) thread.join();
    print(report);
    std::fflush(stdout);
  }
  for (Seat& seat : seats) seat.finish();
  print(report);
  return report.wrong + report.lost + report.leaked == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hilo::soak

int main(int count, char** arguments) {
  if (count != 5) {
    fmt::print(stderr, "usage: client rpc:host:port SECONDS|steps SESSIONS SEED\n");
    return 2;
  }
  if (std::string_view(arguments[2]) == "steps")
    return hilo::soak::run_steps(arguments[1], std::atoi(arguments[3]), std::strtoull(arguments[4], nullptr, 10));
  return hilo::soak::run(arguments[1], std::atof(arguments[2]), std::atoi(arguments[3]),
                         std::strtoull(arguments[4], nullptr, 10));
}
