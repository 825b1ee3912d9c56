// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/zygote.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/rpc/worker/arena.h"

namespace hilo::rpc {
namespace {

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
  /// None at the end.
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
  try {
    serve_session(std::move(files), options, [] {
      log_warning("a worker ends: its program didn't stop when it was told to");
      ::_exit(1);
    });
  } catch (const std::exception& error) {
    log_warning("a worker ends: {}", error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

[[noreturn]] void be_zygote(OwnedFile control, const WorkerOptions& options) {
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for workers: their sockets tell
  ::signal(SIGINT, SIG_IGN);   // a terminal sends it to all; the server says when to end
  ::signal(SIGTERM, SIG_IGN);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (;;) {
    FilesMessage message;
    std::optional<WorkerFiles> files = message.receive(control.get());
    if (!files) ::_exit(0);
    if (::fork() != 0) continue;  // a fork that failed closes the socket, which the server sees
    control = OwnedFile();
    be_worker(*std::move(files), options);
  }
}

}  // namespace

StatusOr<Zygote> Zygote::start(const WorkerOptions& options) {
  HILO_ASSIGN_OR_RETURN(SocketPair control, make_socket_pair());
  const pid_t child = ::fork();
  if (child < 0) return errno_status(errno, "fork");
  if (child > 0) return Zygote(std::move(control.here));
  control.here = OwnedFile();
  be_zygote(std::move(control.there), options);
}

StatusOr<WorkerFiles> Zygote::start_worker() const {
  HILO_ASSIGN_OR_RETURN(SocketPair pair, make_socket_pair());
  HILO_ASSIGN_OR_RETURN(OwnedFile arena, make_arena());
  WorkerFiles there{std::move(pair.there), std::move(arena)};
  FilesMessage message;
  if (!message.send(control_.get(), there)) return unavailable("the process that makes workers is gone");
  return WorkerFiles{std::move(pair.here), std::move(there.arena)};
}

}  // namespace hilo::rpc
