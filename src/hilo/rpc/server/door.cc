// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/door.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/start_thread.h"
#include "hilo/rpc/server/address.h"

namespace hilo::rpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWaiting = 512;                    // backlog of the listener
constexpr std::chrono::milliseconds kLook{5};    // polling interval of strangers' connections
constexpr std::chrono::milliseconds kPause{50};  // delay before the listener is opened again
constexpr int kMaxMisses = 3;

/// Returns the number of bytes received on a connection, whether they are read or not.
uint64_t bytes_received(int file) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  return ::getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received : 0;
}

/// Removes a Unix socket that a dead server has left.
Status remove_dead_socket(Address& address) {
  struct stat about{};
  const std::string path(address.unix_name().data());  // terminated by a zero
  if (::lstat(path.c_str(), &about) != 0) return ok_status();
  if (!S_ISSOCK(about.st_mode)) return unavailable("the path exists and is not a socket");
  const OwnedFile probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(probe.get(), address.get(), address.size) == 0 || errno == EAGAIN)
    return unavailable("another server listens there");
  ::unlink(path.c_str());
  return ok_status();
}

/// Resets the connection and drops what was received. After a shutdown gRPC would still read that.
void reset(int file) {
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  if (::connect(file, &nobody, sizeof(nobody)) != 0) ::shutdown(file, SHUT_RDWR);
}

}  // namespace

class Door::Keeper {
 public:
  Keeper(Address address, const DoorLimits& limits, TakeIn take_in, DoorRules rules)
      : address_(address),
        limits_(limits),
        take_in_(std::move(take_in)),
        rules_(std::move(rules)),
        spare_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {}

  Status start(const std::string& listen) {
    if (address_.is_unix()) {
      if (const Status status = remove_dead_socket(address_); !status.ok()) return status.with_context(listen);
    }
    if (const Status status = begin_to_listen(); !status.ok()) return status.with_context(listen);
    port_ = address_.is_unix() ? 0 : ntohs(address_.port());
    name_ = address_.is_unix() ? listen : host_and_port(address_);
    wake_ = OwnedFile(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (spare_.get() < 0 || !watch(wake_.get(), EPOLLIN)) return errno_status(errno, listen);
    HILO_ASSIGN_OR_RETURN(thread_, start_thread("to listen", [this] { keep(); }));
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
    if (listening_.get() >= 0 && address_.is_unix()) ::unlink(address_.unix_name().data());
  }
  int port() const { return port_; }
  std::string address() const { return name_; }
  std::string name_of(std::string_view peer) const {
    if (!peer.starts_with("unix:")) return unescaped(peer);
    std::set<std::string> names;
    const std::scoped_lock lock(mutex_);
    for (const auto& [file, guest] : guests_) names.insert(guest.peer.substr(0, guest.peer.find(',')));
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
    return text.empty() ? "unix:" : text;
  }

  void let_in(std::string_view peer) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_peer_.find(unescaped(peer));
    if (found != by_peer_.end()) std::erase(strangers_, found->second);
  }
  void begin_call(std::string_view peer) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_peer_.find(unescaped(peer));
    if (found == by_peer_.end()) return;
    Guest& guest = guests_.at(found->second);
    const Clock::time_point now = Clock::now();
    if (now - guest.counted > std::chrono::seconds(1)) {
      guest.counted = now;
      guest.calls = 0;
    }
    const bool is_fast = ++guest.calls > limits_.calls_each_second, is_wide = ++guest.open > limits_.calls_at_once;
    if (is_fast)
      cut_locked(found->second, Why::kSent, fmt::format("more than {} calls per second", limits_.calls_each_second));
    else if (is_wide)  // gRPC enforces its own limit only for clients that acknowledge it
      cut_locked(found->second, Why::kSent, fmt::format("more than {} concurrent calls", limits_.calls_at_once));
  }
  void end_call(std::string_view peer) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_peer_.find(unescaped(peer));
    if (found != by_peer_.end()) --guests_.at(found->second).open;
  }
  void refuse(std::string_view peer) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_peer_.find(unescaped(peer));
    if (found == by_peer_.end() || std::ranges::find(strangers_, found->second) == strangers_.end()) return;
    if (++guests_.at(found->second).refused == limits_.stranger_calls)
      cut_locked(found->second, Why::kSent, fmt::format("{} calls were rejected", limits_.stranger_calls));
  }
  Counts counts() const {
    const std::scoped_lock lock(mutex_);
    Counts counts = counts_;
    counts.connections = std::ssize(guests_);
    counts.strangers = std::ssize(strangers_);
    return counts;
  }

 private:
  /// A connection that was passed to gRPC. The file is a duplicate of its descriptor.
  struct Guest {
    OwnedFile file;
    std::string peer;
    Clock::time_point since;
    int64_t refused = 0;  // number of rejected calls
    int64_t open = 0;     // number of accepted calls that haven't ended
    int64_t calls = 0;    // number of accepted calls since `counted`, which is at most a second ago
    Clock::time_point counted = {};
  };
  /// Cause of cutting a connection: the data it sent (which costs turns), or another one.
  enum class Why : uint8_t { kSent, kOther };

  Status begin_to_listen() {
    const bool was_listening = listening_.get() >= 0;
    listening_ = OwnedFile();  // frees the address
    if (was_listening && address_.is_unix()) ::unlink(address_.unix_name().data());
    OwnedFile file(::socket(address_.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    const bool listens = file.get() >= 0 && ::setsockopt(file.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
                         ::bind(file.get(), address_.get(), address_.size) == 0 && opens_socket() &&
                         ::listen(file.get(), kWaiting) == 0 &&
                         ::getsockname(file.get(), address_.get(), &address_.size) == 0 && watch(file.get(), EPOLLIN);
    if (!listens) return unavailable(fmt::format("can't listen there: {}", std::strerror(errno)));
    listening_ = std::move(file);
    misses_ = 0;
    const std::scoped_lock lock(mutex_);
    ++counts_.listeners;
    return ok_status();
  }
  /// Opens a Unix socket to the permitted users. At first only this user can access it.
  bool opens_socket() const {
    if (!address_.is_unix()) return true;
    const bool is_shared = rules_.all_users || !rules_.users.empty();
    return ::chmod(address_.unix_name().data(), is_shared ? 0666 : 0600) == 0;
  }
  bool watch(int file, uint32_t events) const {
    epoll_event event{.events = events, .data = {.fd = file}};
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, file, &event) == 0;
  }
  bool is_over() const {
    const std::scoped_lock lock(mutex_);
    return is_over_;
  }

  /// Passes the connection to gRPC on a separate thread, because gRPC blocks it for as long as there is data to read.
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
          const int file = events[i].data.fd;
          if (file == listening_.get()) take(events[i].events);
          else if (file != wake_.get()) see_off(file);
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

  /// Accepts waiting connections, or opens the listener again after an error.
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
  /// Returns whether another connection may be accepted now.
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
    if (probe_.get() >= 0 && is_probe(from)) {  // a probe of the door itself
      probe_ = OwnedFile();
      misses_ = 0;
      const std::scoped_lock lock(mutex_);
      ++counts_.knocks;
      return;
    }
    const std::optional<std::string> peer = peer_of(file.get(), from);
    if (!peer) return;
    const int on = 1;
    ::setsockopt(file.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    OwnedFile second(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
    if (second.get() < 0) return make_room();
    if (!has_room()) return tell("refused", *peer, fmt::format("{0} connections of {0}", limits_.connections));
    if (!watch(second.get(), EPOLLRDHUP)) return;
    const int number = second.get();
    {
      const std::scoped_lock lock(mutex_);
      if (!from.is_unix()) {
        by_peer_[*peer] = number;
        strangers_.push_back(number);
      }
      guests_.insert_or_assign(number, Guest{std::move(second), *peer, Clock::now()});
      ++counts_.taken;
      ++handing_;
    }
    if (!hand_on(std::move(file))) cut(number, Why::kOther, "no thread could be started for it");
  }
  bool is_probe(Address& from) {
    if (from.is_unix()) return !from.unix_name().empty() && from.unix_name() == probe_address_.unix_name();
    return from.port() == probe_address_.port();
  }
  /// Returns the name of the peer for the operator; nothing for a user without permission.
  std::optional<std::string> peer_of(int file, Address& from) const {
    if (!from.is_unix()) return peer_text(from);
    ucred who{};
    socklen_t size = sizeof(who);
    if (::getsockopt(file, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
    std::string peer = fmt::format("unix:uid={},pid={}", who.uid, who.pid);
    const bool may =
        rules_.all_users || who.uid == ::geteuid() || std::ranges::find(rules_.users, who.uid) != rules_.users.end();
    if (may) return peer;
    tell("refused", peer, "this user may not connect");
    return std::nullopt;
  }
  void tell(std::string_view event, std::string_view peer, std::string_view cause) const {
    if (rules_.told) rules_.told({.event = event, .peer = peer, .cause = cause});
  }
  /// Returns whether there is room for another stranger. If there are too many, the oldest one is cut.
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
    if (oldest >= 0) cut(oldest, Why::kOther, "replaced by the next connection");
    return oldest >= 0;
  }
  /// Handles a lack of file descriptors: cuts the oldest stranger, or else rejects the waiting connection by means of
  /// the spare descriptor.
  void make_room() {
    if (cut_oldest()) return;
    spare_ = OwnedFile();
    Address from;
    const OwnedFile refused(::accept4(listening_.get(), from.get(), &from.size, SOCK_CLOEXEC));
    if (refused.get() >= 0) tell("refused", peer_text(from), "no file descriptor is free");
    spare_ = OwnedFile(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }

  void look_at_strangers() {
    struct Over {
      int file;
      Why why;
      std::string cause;
    };
    std::vector<Over> over;
    {
      const std::scoped_lock lock(mutex_);
      const Clock::time_point now = Clock::now();
      for (const int file : strangers_) {
        if (bytes_received(file) > static_cast<uint64_t>(limits_.stranger_bytes))
          over.emplace_back(file, Why::kSent,
                            fmt::format("more than {} bytes without an accepted call", limits_.stranger_bytes));
        else if (now - guests_.at(file).since > limits_.stranger_time)
          over.emplace_back(file, Why::kOther,
                            fmt::format("{} ms without an accepted call", limits_.stranger_time.count()));
      }
    }
    for (const auto& [file, why, cause] : over) cut(file, why, cause);
  }
  void cut(int file, Why why, std::string_view cause) {
    const std::scoped_lock lock(mutex_);
    cut_locked(file, why, cause);
  }
  void cut_locked(int file, Why why, std::string_view cause) {
    if (const auto found = guests_.find(file); found != guests_.end()) tell("cut", found->second.peer, cause);
    reset(file);
    forget_locked(file);
    ++counts_.cut;
    if (why == Why::kSent)
      turns_ -= static_cast<double>(limits_.each_second) / static_cast<double>(limits_.bad_each_second);
    turns_ = std::max(turns_, -static_cast<double>(limits_.each_second));
  }
  /// Handles a connection that the peer has closed.
  void see_off(int file) {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(strangers_, file) != strangers_.end())
      tell("left", guests_.at(file).peer, "it closed its connection without an accepted call");
    forget_locked(file);
  }
  void forget_locked(int file) {
    const auto found = guests_.find(file);
    if (found == guests_.end()) return;
    if (const auto peer = by_peer_.find(found->second.peer); peer != by_peer_.end() && peer->second == file)
      by_peer_.erase(peer);
    std::erase(strangers_, file);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, file, nullptr);  // its other descriptor would keep the registration
    guests_.erase(found);
  }

  /// Checks periodically that a connection can still be made.
  void knock() {
    const Clock::time_point now = Clock::now();
    if (listening_.get() < 0) return listen_anew("can't listen there");
    if (probe_.get() >= 0 && now - knocked_ > limits_.probe_answer) {
      probe_ = OwnedFile();
      if (++misses_ >= kMaxMisses) return listen_anew("no connection is accepted");
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
    if (probe.get() < 0) return;  // no descriptors; the next probe reports it
    if (to.is_unix()) {           // the probe is recognized by a name that the system chooses
      sockaddr nameless{};
      nameless.sa_family = AF_UNIX;
      static_cast<void>(::bind(probe.get(), &nameless, sizeof(sa_family_t)));
    }
    const int made = ::connect(probe.get(), to.get(), to.size);
    Address own;
    if ((made != 0 && errno != EINPROGRESS) || ::getsockname(probe.get(), own.get(), &own.size) != 0) {
      if (++misses_ >= kMaxMisses) listen_anew("no connection can be made");
      return;
    }
    probe_address_ = own;
    probe_ = std::move(probe);
  }
  void listen_anew(std::string_view why) {
    const bool was_listening = listening_.get() >= 0;
    const Status status = begin_to_listen();
    if (was_listening || status.ok()) {
      log_warning("{}: {}; {}", name_, why, status.ok() ? "listening anew" : status.to_string());
    }
  }

  Address address_;  // used by the thread once it runs
  int port_ = 0;
  std::string name_;
  const DoorLimits limits_;
  const TakeIn take_in_;
  const DoorRules rules_;
  const OwnedFile epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  OwnedFile listening_, wake_, spare_;
  // Used by the thread only.
  OwnedFile probe_;
  Address probe_address_;
  int misses_ = 0;
  Clock::time_point knocked_ = Clock::now();

  mutable std::mutex mutex_;
  bool is_over_ = false;
  Counts counts_;
  // number of connections that may be accepted, at the time `counted_`
  double turns_ = static_cast<double>(limits_.each_second);
  Clock::time_point counted_ = Clock::now();
  std::unordered_map<int, Guest> guests_;
  std::unordered_map<std::string, int> by_peer_;
  std::vector<int> strangers_;  // oldest first
  int64_t handing_ = 0;         // number of threads that pass connections to gRPC
  std::condition_variable handed_on_;
  std::thread thread_;
};

Door::Door(std::unique_ptr<Keeper> keeper) : keeper_(std::move(keeper)) {}
Door::~Door() = default;

StatusOr<std::unique_ptr<Door>> Door::open(const std::string& listen, const DoorLimits& limits, TakeIn take_in,
                                           DoorRules rules) {
  HILO_ASSIGN_OR_RETURN(const Address address, resolve(listen));
  auto keeper = std::make_unique<Keeper>(address, limits, std::move(take_in), std::move(rules));
  HILO_RETURN_IF_ERROR(keeper->start(listen));
  return std::unique_ptr<Door>(new Door(std::move(keeper)));
}

int Door::port() const { return keeper_->port(); }
std::string Door::address() const { return keeper_->address(); }
std::string Door::name_of(std::string_view peer) const { return keeper_->name_of(peer); }
void Door::let_in(std::string_view peer) { keeper_->let_in(peer); }
void Door::begin_call(std::string_view peer) { keeper_->begin_call(peer); }
void Door::end_call(std::string_view peer) { keeper_->end_call(peer); }
void Door::refuse(std::string_view peer) { keeper_->refuse(peer); }
Door::Counts Door::counts() const { return keeper_->counts(); }

}  // namespace hilo::rpc
