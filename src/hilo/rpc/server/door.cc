// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/door.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/signals_blocked.h"
#include "hilo/rpc/server/address.h"

namespace hilo::rpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWaiting = 512;                    // connections that the system keeps until they are taken
constexpr std::chrono::milliseconds kLook{5};    // how often strangers are looked at
constexpr std::chrono::milliseconds kPause{50};  // before a listener is tried again
constexpr int kMostMisses = 3;

/// Bytes that have come on a connection, read or not.
uint64_t bytes_received(int file) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  return ::getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received : 0;
}

/// Ends the connection at once, with all that has come on it: after a mere shutdown gRPC would read that first.
void reset(int file) {
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  if (::connect(file, &nobody, sizeof(nobody)) != 0) ::shutdown(file, SHUT_RDWR);
}

}  // namespace

class Door::Keeper {
 public:
  Keeper(Address address, const DoorLimits& limits, TakeIn take_in)
      : address_(address),
        limits_(limits),
        take_in_(std::move(take_in)),
        spare_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {}

  Status start(const std::string& listen) {
    if (const Status status = begin_to_listen(); !status.ok()) return status.with_context(listen);
    port_ = ntohs(address_.port());
    wake_ = OwnedFile(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (spare_.get() < 0 || !watch(wake_.get(), EPOLLIN)) return errno_status(errno, listen);
    const SignalsBlocked blocked;
    try {
      thread_ = std::thread([this] { keep(); });
    } catch (const std::system_error&) {
      return resource_exhausted("no thread can be had to listen");
    }
    return ok_status();
  }
  ~Keeper() {
    {
      const std::scoped_lock lock(mutex_);
      is_over_ = true;
    }
    ::eventfd_write(wake_.get(), 1);
    if (thread_.joinable()) thread_.join();
    std::unique_lock lock(mutex_);
    handed_on_.wait(lock, [this] { return handing_ == 0; });
  }
  int port() const { return port_; }

  void let_in(std::string_view peer) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_peer_.find(unescaped(peer));
    if (found != by_peer_.end()) std::erase(strangers_, found->second);
  }
  void refuse(std::string_view peer) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_peer_.find(unescaped(peer));
    if (found == by_peer_.end() || std::ranges::find(strangers_, found->second) == strangers_.end()) return;
    if (++guests_.at(found->second).refused == limits_.stranger_calls) cut_locked(found->second, Why::kSent);
  }
  Counts counts() const {
    const std::scoped_lock lock(mutex_);
    Counts counts = counts_;
    counts.connections = std::ssize(guests_);
    counts.strangers = std::ssize(strangers_);
    return counts;
  }

 private:
  /// A connection that was handed on; the file is a second descriptor of it.
  struct Guest {
    OwnedFile file;
    std::string peer;
    Clock::time_point since;
    int64_t refused = 0;  // calls
  };
  /// Why a connection is cut: for what it sent, which costs turns, or for something else.
  enum class Why : uint8_t { kSent, kOther };

  Status begin_to_listen() {
    listening_ = OwnedFile();  // its address is free from here on
    OwnedFile file(::socket(address_.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    const bool listens = file.get() >= 0 && ::setsockopt(file.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
                         ::bind(file.get(), address_.get(), address_.size) == 0 &&
                         ::listen(file.get(), kWaiting) == 0 &&
                         ::getsockname(file.get(), address_.get(), &address_.size) == 0 && watch(file.get(), EPOLLIN);
    if (!listens) return unavailable(fmt::format("it can't be listened at: {}", std::strerror(errno)));
    listening_ = std::move(file);
    misses_ = 0;
    const std::scoped_lock lock(mutex_);
    ++counts_.listeners;
    return ok_status();
  }
  bool watch(int file, uint32_t events) const {
    epoll_event event{.events = events, .data = {.fd = file}};
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, file, &event) == 0;
  }
  bool is_over() const {
    const std::scoped_lock lock(mutex_);
    return is_over_;
  }

  /// On a thread of its own, which gRPC keeps as long as it finds something to read: nobody else may be held up by that.
  bool hand_on(OwnedFile file) try {
    std::thread([this, file = std::make_shared<OwnedFile>(std::move(file))] {
      take_in_(std::move(*file));
      const std::scoped_lock lock(mutex_);
      --handing_;
      handed_on_.notify_all();
    }).detach();
    return true;
  } catch (const std::system_error&) {
    const std::scoped_lock lock(mutex_);
    --handing_;
    return false;
  }

  void keep() {
    std::array<epoll_event, 64> events;
    while (!is_over()) try {
        const int count =
            ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), wait_milliseconds());
        for (int i = 0; i < count; ++i) {
          const int file = events[static_cast<size_t>(i)].data.fd;
          if (file == listening_.get()) take(events[static_cast<size_t>(i)].events);
          else if (file != wake_.get()) forget(file);
        }
        look_at_strangers();
        knock();
      } catch (const std::bad_alloc&) {
        cut_oldest();
      }
  }
  int wait_milliseconds() const {
    const std::scoped_lock lock(mutex_);
    const auto time = !strangers_.empty() ? kLook : listening_.get() < 0 ? kPause : limits_.probe_answer / 2;
    return static_cast<int>(time.count());
  }

  /// Takes what waits, or listens anew where the listener has failed.
  void take(uint32_t events) {
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) return listen_anew("it has failed");
    while (has_turn()) {
      Address from;
      OwnedFile file(::accept4(listening_.get(), from.get(), &from.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (file.get() >= 0) {
        receive(std::move(file), from);
        continue;
      }
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        make_room();
        return;
      }
      const bool failed = errno == EBADF || errno == EINVAL || errno == ENOTSOCK || errno == EOPNOTSUPP;
      if (failed) listen_anew(std::strerror(errno));
      if (failed || errno == EAGAIN || errno == EWOULDBLOCK) return;
    }
  }
  /// Whether one more may be taken now.
  bool has_turn() {
    std::chrono::duration<double> pause;
    {
      const std::scoped_lock lock(mutex_);
      const Clock::time_point now = Clock::now();
      const auto each_second = static_cast<double>(limits_.each_second);
      turns_ += each_second * std::chrono::duration<double>(now - counted_).count();
      turns_ = std::min(turns_, each_second);
      counted_ = now;
      if (turns_ >= 1) {
        turns_ -= 1;
        return true;
      }
      pause = std::chrono::duration<double>((1 - turns_) / each_second);
    }
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(pause, kLook));
    return false;
  }
  void receive(OwnedFile file, Address& from) {
    if (from.port() == probe_port_ && probe_.get() >= 0) {  // the door's own
      probe_ = OwnedFile();
      misses_ = 0;
      const std::scoped_lock lock(mutex_);
      ++counts_.knocks;
      return;
    }
    const int on = 1;
    ::setsockopt(file.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    OwnedFile second(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
    if (second.get() < 0) return make_room();
    if (!has_room() || !watch(second.get(), EPOLLRDHUP)) return;
    const int number = second.get();
    {
      const std::scoped_lock lock(mutex_);
      std::string peer = peer_text(from);
      by_peer_[peer] = number;
      strangers_.push_back(number);
      guests_.insert_or_assign(number, Guest{std::move(second), std::move(peer), Clock::now()});
      ++counts_.taken;
      ++handing_;
    }
    if (!hand_on(std::move(file))) cut(number, Why::kOther);
  }
  /// Whether one more may be a stranger; the oldest goes if there are too many.
  bool has_room() {
    const Counts now = counts();
    if (now.strangers >= limits_.strangers) cut_oldest();
    if (now.connections < limits_.connections) return true;
    return cut_oldest();
  }
  bool cut_oldest() {
    int oldest = -1;
    {
      const std::scoped_lock lock(mutex_);
      if (!strangers_.empty()) oldest = strangers_.front();
    }
    if (oldest >= 0) cut(oldest, Why::kOther);
    return oldest >= 0;
  }
  /// There are no file descriptors: the oldest stranger goes, or else the one that waits, by the spare descriptor.
  void make_room() {
    if (cut_oldest()) return;
    spare_ = OwnedFile();
    const OwnedFile refused(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    spare_ = OwnedFile(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }

  void look_at_strangers() {
    std::vector<std::pair<int, Why>> over;
    {
      const std::scoped_lock lock(mutex_);
      const Clock::time_point now = Clock::now();
      for (const int file : strangers_) {
        if (bytes_received(file) > static_cast<uint64_t>(limits_.stranger_bytes)) over.emplace_back(file, Why::kSent);
        else if (now - guests_.at(file).since > limits_.stranger_time) over.emplace_back(file, Why::kOther);
      }
    }
    for (const auto& [file, why] : over) cut(file, why);
  }
  void cut(int file, Why why) {
    const std::scoped_lock lock(mutex_);
    cut_locked(file, why);
  }
  void cut_locked(int file, Why why) {
    reset(file);
    forget_locked(file);
    ++counts_.cut;
    if (why == Why::kSent)
      turns_ -= static_cast<double>(limits_.each_second) / static_cast<double>(limits_.bad_each_second);
    turns_ = std::max(turns_, -static_cast<double>(limits_.each_second));
  }
  void forget(int file) {
    const std::scoped_lock lock(mutex_);
    forget_locked(file);
  }
  void forget_locked(int file) {
    const auto found = guests_.find(file);
    if (found == guests_.end()) return;
    if (const auto peer = by_peer_.find(found->second.peer); peer != by_peer_.end() && peer->second == file)
      by_peer_.erase(peer);
    std::erase(strangers_, file);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, file, nullptr);  // its other descriptor would keep the watch
    guests_.erase(found);
  }

  /// Tries now and then whether a connection still comes through.
  void knock() {
    const Clock::time_point now = Clock::now();
    if (listening_.get() < 0) return listen_anew("it can't be listened at");
    if (probe_.get() >= 0 && now - knocked_ > limits_.probe_answer) {
      probe_ = OwnedFile();
      if (++misses_ >= kMostMisses) return listen_anew("no connection comes through");
    }
    if (probe_.get() >= 0 || now - knocked_ < limits_.probe_every) return;
    knocked_ = now;
    Address to = address_;
    auto& v4 = reinterpret_cast<sockaddr_in&>(to.storage);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(to.storage);
    if (to.storage.ss_family == AF_INET && v4.sin_addr.s_addr == INADDR_ANY)
      v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (to.storage.ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr)) v6.sin6_addr = in6addr_loopback;
    OwnedFile probe(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (probe.get() < 0) return;  // no descriptors; a later one tells
    const int made = ::connect(probe.get(), to.get(), to.size);
    Address own;
    if ((made != 0 && errno != EINPROGRESS) || ::getsockname(probe.get(), own.get(), &own.size) != 0) {
      if (++misses_ >= kMostMisses) listen_anew("no connection can be made");
      return;
    }
    probe_port_ = own.port();
    probe_ = std::move(probe);
  }
  void listen_anew(std::string_view why) {
    const bool was_listening = listening_.get() >= 0;
    const Status status = begin_to_listen();
    if (was_listening || status.ok()) {
      log_warning("port {}: {}; {}", port(), why, status.ok() ? "listening anew" : status.to_string());
    }
  }

  Address address_;  // of the thread, once it runs
  int port_ = 0;
  const DoorLimits limits_;
  const TakeIn take_in_;
  const OwnedFile epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  OwnedFile listening_, wake_, spare_;
  // Of the thread alone.
  OwnedFile probe_;
  in_port_t probe_port_ = 0;
  int misses_ = 0;
  Clock::time_point knocked_ = Clock::now();

  mutable std::mutex mutex_;
  bool is_over_ = false;
  Counts counts_;
  double turns_ = static_cast<double>(limits_.each_second);  // connections that may be taken, as of `counted_`
  Clock::time_point counted_ = Clock::now();
  std::unordered_map<int, Guest> guests_;
  std::unordered_map<std::string, int> by_peer_;
  std::vector<int> strangers_;  // the oldest first
  int64_t handing_ = 0;         // threads that hand a connection on
  std::condition_variable handed_on_;
  std::thread thread_;
};

Door::Door(std::unique_ptr<Keeper> keeper) : keeper_(std::move(keeper)) {}
Door::~Door() = default;

StatusOr<std::unique_ptr<Door>> Door::open(const std::string& listen, const DoorLimits& limits, TakeIn take_in) {
  HILO_ASSIGN_OR_RETURN(const Address address, resolve(listen));
  auto keeper = std::make_unique<Keeper>(address, limits, std::move(take_in));
  HILO_RETURN_IF_ERROR(keeper->start(listen));
  return std::unique_ptr<Door>(new Door(std::move(keeper)));
}

int Door::port() const { return keeper_->port(); }
void Door::let_in(std::string_view peer) { keeper_->let_in(peer); }
void Door::refuse(std::string_view peer) { keeper_->refuse(peer); }
Door::Counts Door::counts() const { return keeper_->counts(); }

}  // namespace hilo::rpc
