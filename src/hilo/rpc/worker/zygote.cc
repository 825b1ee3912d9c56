// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/zygote.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <optional>

#include "hilo/base/buffer_pool.h"
#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/start_thread.h"
#include "hilo/hlo/ops/custom_call_results.h"
#include "hilo/rpc/worker/arena.h"
#include "hilo/rpc/worker/options_text.h"

namespace hilo::rpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSocketFile = 3, kArenaFile = 4, kAfterHelperFiles = 5;  // file descriptors of a helper process
constexpr const char *kZygoteRole = "zygote", *kWorkerRole = "worker";
constexpr int kExitNoCommand = 127;
constexpr int64_t kMinPool = int64_t{16} << 20;
constexpr unsigned kAnswerSeconds = 2;       // time for a worker's last message before it ends
constexpr std::chrono::seconds kWindow{60};  // time window for the limit below
constexpr int64_t kMaxEnds = 5;              // number of zygotes that may end within the window

/// A message of one byte and a worker's two file descriptors.
struct FilesMessage {
  static constexpr size_t kFiles = 2, kBytes = kFiles * sizeof(int);
  char byte = 1;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(kBytes)] = {};
  msghdr header{};

  FilesMessage() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
  }
  FilesMessage(const FilesMessage&) = delete;
  FilesMessage& operator=(const FilesMessage&) = delete;

  bool send(int to, const WorkerFiles& files) {
    const int numbers[kFiles] = {files.socket.get(), files.arena.get()};
    cmsghdr* const head = CMSG_FIRSTHDR(&header);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(kBytes);
    std::memcpy(CMSG_DATA(head), numbers, kBytes);
    ssize_t sent = 0;
    do sent = ::sendmsg(to, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
  }
  /// Receives a worker's files. Returns nothing at the end.
  std::optional<WorkerFiles> receive(int from) {
    ssize_t got = 0;
    do got = ::recvmsg(from, &header, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const cmsghdr* const head = got == 1 ? CMSG_FIRSTHDR(&header) : nullptr;
    if (head == nullptr || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(kBytes)) return std::nullopt;
    int numbers[kFiles];
    std::memcpy(numbers, CMSG_DATA(head), kBytes);
    return WorkerFiles{OwnedFile(numbers[0]), OwnedFile(numbers[1])};
  }
};

void limit_memory(int64_t bytes) {
  if (bytes <= 0) return;
  const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  ::setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void be_worker(WorkerFiles files, const WorkerOptions& options) {
  ::signal(SIGCHLD, SIG_DFL);
  limit_memory(options.memory_bytes);
  // Memory in the buffer pool isn't counted for the session, so the pool is small if bytes are limited.
  if (options.quota.live_bytes > 0) set_buffer_cache_limit(std::max(options.quota.live_bytes / 4, kMinPool));
  clear_custom_call_results();
  try {
    serve_session(std::move(files), options, [](const std::function<void()>& answer) {
      log_warning("a worker ends: its program did not stop after its cancellation");
      ::signal(SIGALRM, SIG_DFL);
      ::alarm(kAnswerSeconds);  // a client that doesn't read must not keep the worker alive
      answer();
      ::_exit(1);
    });
  } catch (const std::exception& error) {
    log_warning("a worker ends: {}", error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

/// Runs in a child of the zygote. After the fork it only makes system calls.
[[noreturn]] void execute_worker(const WorkerFiles& files, const WorkerOptions& options, const std::string& text) {
  // Moves the descriptor away from its target numbers.
  const int socket = ::fcntl(files.socket.get(), F_DUPFD, kAfterHelperFiles);
  const int arena = ::fcntl(files.arena.get(), F_DUPFD, kAfterHelperFiles);
  if (socket < 0 || arena < 0 || ::dup2(socket, kSocketFile) < 0 || ::dup2(arena, kArenaFile) < 0) ::_exit(1);
  ::close_range(kAfterHelperFiles, ~0U, 0);
  const std::string helper(kHelperArgument);
  const char* const arguments[] = {"hilo", helper.c_str(), kWorkerRole, text.c_str(), nullptr};
  ::execve(options.command.c_str(), const_cast<char* const*>(arguments), environ);
  ::_exit(kExitNoCommand);
}

[[noreturn]] void be_zygote(OwnedFile control, const WorkerOptions& options) {
  ::signal(SIGCHLD, SIG_IGN);  // workers aren't waited for; their sockets report their end
  ::signal(SIGINT, SIG_IGN);   // a terminal sends it to all processes; the server decides when to end
  ::signal(SIGTERM, SIG_IGN);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const std::string text = options_text(options);
  for (;;) {
    FilesMessage message;
    std::optional<WorkerFiles> files = message.receive(control.get());
    if (!files) ::_exit(0);
    if (::fork() != 0) continue;  // a failed fork closes the socket, which the server detects
    control = OwnedFile();
    if (!options.command.empty()) execute_worker(*files, options, text);
    be_worker(*std::move(files), options);
  }
}

/// Executes the command with `control` as file descriptor 3 and no other files of this process.
StatusOr<pid_t> spawn_zygote(const OwnedFile& control, const WorkerOptions& options) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  // By way of another number: if both numbers are equal, dup2 leaves the descriptor closed at exec.
  ::posix_spawn_file_actions_adddup2(&files, control.get(), kAfterHelperFiles);
  ::posix_spawn_file_actions_adddup2(&files, kAfterHelperFiles, kSocketFile);
  ::posix_spawn_file_actions_addclosefrom_np(&files, kSocketFile + 1);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const std::string helper(kHelperArgument), text = options_text(options);
  const char* const arguments[] = {"hilo", helper.c_str(), kZygoteRole, text.c_str(), nullptr};
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, options.command.c_str(), &files, &attributes, const_cast<char* const*>(arguments), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return errno_status(error, options.command);
  return child;
}

}  // namespace

int help_server(std::span<const char* const> arguments) {
  const StatusOr<WorkerOptions> options =
      arguments.size() == 3 ? options_of(arguments[2]) : invalid_argument("only `hilo serve` can start this process");
  if (!options.ok()) {
    log_warning("a helper of hilo serve: {}", options.status().to_string());
    return 1;
  }
  if (arguments[1] == std::string_view(kZygoteRole)) be_zygote(OwnedFile(kSocketFile), *options);
  be_worker({OwnedFile(kSocketFile), OwnedFile(kArenaFile)}, *options);
}

StatusOr<Zygote> Zygote::start(const WorkerOptions& options) {
  HILO_ASSIGN_OR_RETURN(SocketPair control, make_socket_pair());
  if (!options.command.empty()) {
    HILO_ASSIGN_OR_RETURN(const pid_t process, spawn_zygote(control.there, options));
    return Zygote(std::move(control.here), process);
  }
  const pid_t child = ::fork();
  if (child < 0) return errno_status(errno, "fork");
  if (child > 0) return Zygote(std::move(control.here), child);
  control.here = OwnedFile();
  be_zygote(std::move(control.there), options);
}

StatusOr<WorkerFiles> Zygote::start_worker() const {
  HILO_ASSIGN_OR_RETURN(SocketPair pair, make_socket_pair());
  HILO_ASSIGN_OR_RETURN(OwnedFile arena, make_arena());
  WorkerFiles there{std::move(pair.there), std::move(arena)};
  FilesMessage message;
  if (!message.send(control_.get(), there)) return unavailable("the process that starts workers has ended");
  return WorkerFiles{std::move(pair.here), std::move(there.arena)};
}

bool Zygote::wait_until_gone(int stop) const {
  pollfd files[] = {{.fd = control_.get(), .events = POLLIN, .revents = 0},
                    {.fd = stop, .events = POLLIN, .revents = 0}};
  while (::poll(files, 2, -1) < 0 && errno == EINTR) {}
  if (files[1].revents != 0) return false;
  ::kill(process_, SIGKILL);  // the zygote writes nothing, so a readable socket means its end
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {}
  return true;
}

// ---- ZygoteKeeper.

StatusOr<std::unique_ptr<ZygoteKeeper>> ZygoteKeeper::start(const WorkerOptions& options,
                                                            std::function<void(const Status&)> on_failure) {
  HILO_ASSIGN_OR_RETURN(Zygote first, Zygote::start(options));
  OwnedFile stop(::eventfd(0, EFD_CLOEXEC));
  if (stop.get() < 0) return errno_status(errno, "eventfd");
  std::unique_ptr<ZygoteKeeper> keeper(new ZygoteKeeper(options, std::move(on_failure), std::move(stop),
                                                        std::make_shared<const Zygote>(std::move(first))));
  HILO_ASSIGN_OR_RETURN(keeper->thread_,
                        start_thread("to keep the process that starts workers", [all = keeper.get()] { all->keep(); }));
  return keeper;
}

ZygoteKeeper::~ZygoteKeeper() {
  const uint64_t one = 1;
  static_cast<void>(::write(stop_.get(), &one, sizeof(one)) < 0);
  if (thread_.joinable()) thread_.join();
}

StatusOr<WorkerFiles> ZygoteKeeper::start_worker() {
  std::shared_ptr<const Zygote> zygote;
  {
    const std::scoped_lock lock(mutex_);
    zygote = zygote_;
  }
  return zygote->start_worker();
}

int64_t ZygoteKeeper::replaced() const {
  const std::scoped_lock lock(mutex_);
  return replaced_;
}

void ZygoteKeeper::keep() {
  std::deque<Clock::time_point> ends;
  for (;;) {
    std::shared_ptr<const Zygote> zygote;
    {
      const std::scoped_lock lock(mutex_);
      zygote = zygote_;
    }
    if (!zygote->wait_until_gone(stop_.get())) return;
    ends.push_back(Clock::now());
    while (ends.back() - ends.front() > kWindow) ends.pop_front();
    if (std::ssize(ends) >= kMaxEnds)
      return on_failure_(unavailable(fmt::format("the process that starts workers ended {} times in {} s", ends.size(),
                                                 std::chrono::seconds(kWindow).count())));
    if (options_.command.empty()) return on_failure_(unavailable("the process that starts workers has ended"));
    StatusOr<Zygote> next = Zygote::start(options_);
    if (!next.ok()) return on_failure_(next.status().with_context("the process that starts workers has ended"));
    log_warning("the process that starts workers had ended; a new one has been started");
    const std::scoped_lock lock(mutex_);
    zygote_ = std::make_shared<const Zygote>(*std::move(next));
    ++replaced_;
  }
}

}  // namespace hilo::rpc
