// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/mpi/heartbeat.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "hilo/base/owned_file.h"
#include "hilo/base/signals_blocked.h"

namespace hilo {
namespace {

using Clock = std::chrono::steady_clock;

enum class State : uint32_t { kAlive, kDied, kSilent, kEnded };

/// The state of one process. It is sent as it is in memory, because all processes run the same build on the same kind
/// of machine.
struct Beat {
  State state = State::kAlive;
  uint32_t process = 0;
  uint64_t meetings = 0;
  std::array<char, 112> what = {};
};
static_assert(std::is_trivially_copyable_v<Beat> && sizeof(Beat) == 128);

std::string text_of(const Beat& beat) {
  if (beat.meetings == 0) return "no collective yet";
  return fmt::format("{}, its meeting {}", beat.what.data(), beat.meetings);
}

struct Hello {
  uint64_t secret;
  uint64_t process;
};

Status failed_call(std::string_view what) {
  return unavailable(fmt::format("heartbeat: {}: {}", what, std::strerror(errno)));
}

sockaddr_in socket_address(uint32_t ipv4, uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(ipv4);
  address.sin_port = htons(port);
  return address;
}

/// One connection. It sends and receives messages of one fixed size and reassembles them.
class Line {
 public:
  Line() = default;
  explicit Line(OwnedFile socket) : socket_(std::move(socket)) {
    const int on = 1;
    // without it messages are only later
    (void)::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  }
  bool is_open() const { return socket_.is_open(); }
  int number() const { return socket_.get(); }
  void close() { socket_ = OwnedFile(); }

  /// Sends as many bytes as the socket accepts. If a rest of the last message is pending, the rest is sent and `bytes`
  /// is dropped, because the next message replaces it.
  void send(std::span<const std::byte> bytes) {
    if (out_.empty()) out_.assign(bytes.begin(), bytes.end());
    const ssize_t sent = ::send(socket_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) out_.erase(out_.begin(), out_.begin() + sent);
  }
  /// Reads the available bytes.
  /// Returns   whether the connection is still open
  bool read() {
    std::array<std::byte, 4096> part;
    while (true) {
      const ssize_t got = ::recv(socket_.get(), part.data(), part.size(), MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
      if (got == 0) return false;
      in_.insert(in_.end(), part.begin(), part.begin() + got);
    }
  }
  /// Removes the next complete message from the bytes that were read.
  bool take(std::span<std::byte> message) {
    if (in_.size() < message.size()) return false;
    std::copy_n(in_.begin(), message.size(), message.begin());
    in_.erase(in_.begin(), in_.begin() + message.size());
    return true;
  }

 private:
  OwnedFile socket_;
  std::vector<std::byte> in_, out_;
};

}  // namespace

class Heartbeat::Star {
 public:
  Star(int index, int count, const HeartbeatTimes& times)
      : index_(index), times_(times), beats_heard_(count), beats_(count), heard_(beats_.size(), Clock::now()) {
    for (size_t i = 0; i < beats_.size(); ++i) beats_[i].process = static_cast<uint32_t>(i);
  }
  ~Star() {
    stopping_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
  }

  Status listen(uint32_t ipv4) {
    listener_ = OwnedFile(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address = socket_address(ipv4, 0);
    socklen_t size = sizeof address;
    if (!listener_.is_open() || ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_.get(), static_cast<int>(beats_.size())) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      return failed_call("process 0 can't listen");
    std::random_device entropy;
    address_ = {ipv4, ntohs(address.sin_port), uint64_t{entropy()} << 32 | entropy()};
    lines_.resize(beats_.size());
    return start();
  }

  Status connect(const HeartbeatAddress& where) {
    OwnedFile socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = socket_address(where.ipv4, where.port);
    if (!socket.is_open() || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      return failed_call("process 0 can't be reached");
    const Hello hello{where.secret, static_cast<uint64_t>(index_)};
    lines_.emplace_back(std::move(socket));
    lines_[0].send(std::as_bytes(std::span(&hello, 1)));
    return start();
  }

  const HeartbeatAddress& address() const { return address_; }

  void note(std::string_view what) {
    const std::scoped_lock lock(mutex_);
    Beat& mine = beats_[index_];
    ++mine.meetings;
    mine.what = {};
    what.copy(mine.what.data(), mine.what.size() - 1);
  }
  std::string last_of(int process) const {
    const std::scoped_lock lock(mutex_);
    return text_of(beats_[process]);
  }
  Status failure() const {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  bool has_ended(int process) const {
    const std::scoped_lock lock(mutex_);
    return beats_[process].state == State::kEnded;
  }
  void take_leave() {
    {
      const std::scoped_lock lock(mutex_);
      beats_[index_].state = State::kEnded;
    }
    wake();
  }

 private:
  bool is_centre() const { return index_ == 0; }

  Status start() {
    wake_ = OwnedFile(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_.is_open()) return failed_call("eventfd");
    const SignalsBlocked quiet;  // signals are delivered to the program's threads
    thread_ = std::thread([this] { run(); });
    return ok_status();
  }

  void wake() {
    const uint64_t one = 1;
    // if the pipe is full, the thread wakes up anyway
    if (wake_.is_open()) (void)!::write(wake_.get(), &one, sizeof one);
  }

  void run() {
    Clock::time_point next = Clock::now();
    while (true) {
      if (Clock::now() >= next || woken_) {
        beat();
        next = Clock::now() + times_.period;
        woken_ = false;
      }
      if (stopping_) return;
      wait_until(next);
      hear();
      look_for_silence();
    }
  }

  void wait_until(Clock::time_point next) {
    std::vector<pollfd> waited = {{wake_.get(), POLLIN, 0}};
    if (listener_.is_open()) waited.push_back({listener_.get(), POLLIN, 0});
    for (const std::vector<Line>* const lines : {&lines_, &strangers_}) {
      for (const Line& line : *lines) {
        if (line.is_open()) waited.push_back({line.number(), POLLIN, 0});
      }
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    (void)::poll(waited.data(), waited.size(), static_cast<int>(std::max<int64_t>(left, 0)));
    uint64_t count = 0;
    if ((waited[0].revents & POLLIN) != 0) woken_ = ::read(wake_.get(), &count, sizeof count) > 0;
  }

  /// Process 0 sends all states to all processes; the others send their own state.
  void beat() {
    std::vector<Beat> told;
    {
      const std::scoped_lock lock(mutex_);
      if (is_centre()) told = beats_;
      else told = {beats_[index_]};
    }
    for (Line& line : lines_) {
      if (line.is_open()) line.send(std::as_bytes(std::span(told)));
    }
  }

  void hear() {
    if (is_centre()) {
      admit();
      for (size_t i = 1; i < lines_.size(); ++i) hear(lines_[i], {&beats_heard_[i], 1}, i);
    } else {
      hear(lines_[0], beats_heard_, 0);
    }
  }

  /// Reads the messages of process `from`, each of which has the states of all of `told`.
  void hear(Line& line, std::span<Beat> told, size_t from) {
    if (!line.is_open()) return;
    const bool there = line.read();
    while (line.take(std::as_writable_bytes(told))) {
      for (const Beat& beat : told) take(beat);
    }
    if (!there) lose(line, from);
  }

  /// Assigns new connections to processes once they have identified themselves. Connections with a wrong identification
  /// are closed.
  void admit() {
    while (true) {
      OwnedFile socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.is_open()) break;
      if (strangers_.size() < beats_.size()) strangers_.emplace_back(std::move(socket));
    }
    std::erase_if(strangers_, [&](Line& stranger) {
      Hello hello;
      const bool there = stranger.read();
      if (!stranger.take(std::as_writable_bytes(std::span(&hello, 1)))) return !there;
      const size_t i = hello.process;
      if (hello.secret != address_.secret || i == 0 || i >= lines_.size() || lines_[i].is_open()) return true;
      const std::scoped_lock lock(mutex_);
      heard_[i] = Clock::now();
      lines_[i] = std::move(stranger);
      return true;
    });
  }

  /// Updates a process's state from its own message or from that of process 0.
  void take(const Beat& beat) {
    const std::scoped_lock lock(mutex_);
    const size_t i = beat.process;
    if (i >= beats_.size() || i == static_cast<size_t>(index_)) return;
    heard_[is_centre() ? i : 0] = Clock::now();
    beats_[i].meetings = beat.meetings;
    beats_[i].what = beat.what;
    beats_[i].what.back() = '\0';
    if (beats_[i].state != State::kAlive) return;
    beats_[i].state = beat.state;
    if (beat.state == State::kDied || beat.state == State::kSilent) fail(i);
  }

  /// Handles the end of the connection to process `i`.
  void lose(Line& line, size_t i) {
    line.close();
    const std::scoped_lock lock(mutex_);
    if (beats_[i].state != State::kAlive) return;
    beats_[i].state = State::kDied;
    fail(i);
  }

  void look_for_silence() {
    const std::scoped_lock lock(mutex_);
    for (size_t i = 0; i < beats_.size(); ++i) {
      const bool direct = is_centre() ? i != 0 : i == 0;
      if (!direct || beats_[i].state != State::kAlive || Clock::now() - heard_[i] < times_.silence) continue;
      beats_[i].state = State::kSilent;
      fail(i);
    }
  }

  /// Precondition: the mutex is held.
  void fail(size_t i) {
    woken_ = true;  // notify the other processes at once
    if (!failure_.ok()) return;
    const Beat& beat = beats_[i];
    const std::string how = beat.state == State::kDied
                                ? "has died"
                                : fmt::format("has sent no heartbeat for {:.1f} s: it is stopped or can't be reached",
                                              std::chrono::duration<double>(times_.silence).count());
    failure_ = unavailable(fmt::format("process {} {}; it was last at {}", i, how, text_of(beat)));
    lost_.store(true, std::memory_order_release);
  }

  const int index_;
  const HeartbeatTimes times_;
  HeartbeatAddress address_;
  OwnedFile listener_, wake_;
  // Used by the thread only. Process 0 has one connection per process; the others have one in total.
  std::vector<Line> lines_, strangers_;
  std::vector<Beat> beats_heard_;  // states in the last message, by process
  bool woken_ = false;

  mutable std::mutex mutex_;  // guards the members below
  std::vector<Beat> beats_;   // states by process
  std::vector<Clock::time_point> heard_;
  Status failure_;
  std::atomic<bool> lost_ = false, stopping_ = false;
  std::thread thread_;
};

Heartbeat::Heartbeat(std::unique_ptr<Star> star) : star_(std::move(star)) {}
Heartbeat::~Heartbeat() = default;

StatusOr<std::unique_ptr<Heartbeat>> Heartbeat::listen(int count, uint32_t ipv4, const HeartbeatTimes& times) {
  auto star = std::make_unique<Star>(0, count, times);
  HILO_RETURN_IF_ERROR(star->listen(ipv4));
  return std::unique_ptr<Heartbeat>(new Heartbeat(std::move(star)));
}

StatusOr<std::unique_ptr<Heartbeat>> Heartbeat::connect(int index, int count, const HeartbeatAddress& address,
                                                        const HeartbeatTimes& times) {
  auto star = std::make_unique<Star>(index, count, times);
  HILO_RETURN_IF_ERROR(star->connect(address));
  return std::unique_ptr<Heartbeat>(new Heartbeat(std::move(star)));
}

const HeartbeatAddress& Heartbeat::address() const { return star_->address(); }
void Heartbeat::note(std::string_view what) { star_->note(what); }
std::string Heartbeat::last_of(int process) const { return star_->last_of(process); }
Status Heartbeat::failure() const { return star_->failure(); }
bool Heartbeat::is_lost() const { return star_->is_lost(); }
bool Heartbeat::has_ended(int process) const { return star_->has_ended(process); }
void Heartbeat::take_leave() { star_->take_leave(); }

StatusOr<uint32_t> address_for_other_machines() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return failed_call("getifaddrs");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, ::freeifaddrs);
  const char* const asked = std::getenv("HILO_HEARTBEAT_INTERFACE");
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET || (i->ifa_flags & IFF_UP) == 0) continue;
    if (asked != nullptr ? std::strcmp(asked, i->ifa_name) != 0 : (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    sockaddr_in address;
    std::memcpy(&address, i->ifa_addr, sizeof address);
    return ntohl(address.sin_addr.s_addr);
  }
  return not_found(asked != nullptr
                       ? fmt::format("HILO_HEARTBEAT_INTERFACE: no interface {} with an IPv4 address exists", asked)
                       : std::string("heartbeat: no interface reaches other machines"));
}

}  // namespace hilo
