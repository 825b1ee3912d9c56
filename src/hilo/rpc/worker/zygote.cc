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

#include "hilo/base/files.h"
#include "hilo/base/log.h"

namespace hilo::rpc {
namespace {

/// A message of one byte and one file descriptor.
struct FileMessage {
  char byte = 1;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};

  FileMessage() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
  }
  FileMessage(const FileMessage&) = delete;
  FileMessage& operator=(const FileMessage&) = delete;

  bool send(int socket, int file) {
    cmsghdr* const head = CMSG_FIRSTHDR(&header);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &file, sizeof(int));
    ssize_t sent = 0;
    do sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
  }
  /// -1 at the end.
  int receive(int socket) {
    ssize_t got = 0;
    do got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const cmsghdr* const head = got == 1 ? CMSG_FIRSTHDR(&header) : nullptr;
    if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return -1;
    int file = -1;
    std::memcpy(&file, CMSG_DATA(head), sizeof(int));
    return file;
  }
};

void limit_memory(int64_t bytes) {
  if (bytes <= 0) return;
  const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  ::setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void be_worker(OwnedFile socket, const WorkerOptions& options) {
  ::signal(SIGCHLD, SIG_DFL);
  limit_memory(options.memory_bytes);
  try {
    serve_session(std::move(socket), options, [] {
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
    FileMessage message;
    OwnedFile socket(message.receive(control.get()));
    if (socket.get() < 0) ::_exit(0);
    if (::fork() != 0) continue;  // a fork that failed closes the socket, which the server sees
    control = OwnedFile();
    be_worker(std::move(socket), options);
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

StatusOr<OwnedFile> Zygote::start_worker() const {
  HILO_ASSIGN_OR_RETURN(SocketPair pair, make_socket_pair());
  FileMessage message;
  if (!message.send(control_.get(), pair.there.get())) return unavailable("the process that makes workers is gone");
  return std::move(pair.here);
}

}  // namespace hilo::rpc
