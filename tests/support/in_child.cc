// SPDX-License-Identifier: Apache-2.0
#include "tests/support/in_child.h"

#include <sys/wait.h>
#include <unistd.h>

namespace hilo {

int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(120);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace hilo
