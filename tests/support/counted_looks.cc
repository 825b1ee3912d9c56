// SPDX-License-Identifier: Apache-2.0
#include "tests/support/counted_looks.h"

#if defined(__x86_64__)  // other processors have no flag by which a program traps after its next instruction

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <new>

namespace hilo::tests {
namespace {

constexpr size_t kPage = 4096;
constexpr greg_t kTrapFlag = 0x100;  // of EFLAGS: the next instruction raises SIGTRAP

CancellationToken* token = nullptr;  // at the start of the page
volatile int64_t looks = 0, look_to_cancel = -1;
struct sigaction usual_segv, usual_trap;

void open_page() { ::mprotect(token, kPage, PROT_READ | PROT_WRITE); }
void close_page() { ::mprotect(token, kPage, PROT_NONE); }

/// Lets the polling instruction read the word; on_trap runs after it.
void on_segv(int, siginfo_t* info, void* context) {
  const auto* const at = static_cast<const char*>(info->si_addr);
  const auto* const page = reinterpret_cast<const char*>(token);
  if (at < page || at >= page + kPage) {
    ::sigaction(SIGSEGV, &usual_segv, nullptr);  // any other fault of the program under test
    return;
  }
  open_page();
  if (looks == look_to_cancel) token->cancel();
  looks = looks + 1;
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
}

void on_trap(int, siginfo_t*, void* context) {
  close_page();
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
}

void install(int signal, void (*handler)(int, siginfo_t*, void*), struct sigaction& usual) {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = handler;
  ::sigaction(signal, &action, &usual);
}

}  // namespace

int64_t count_looks(int64_t at, const std::function<void(CancellationToken&)>& work) {
  void* const page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  token = new (page) CancellationToken;
  looks = 0;
  look_to_cancel = at;
  install(SIGSEGV, on_segv, usual_segv);
  install(SIGTRAP, on_trap, usual_trap);
  close_page();
  work(*token);
  open_page();
  ::sigaction(SIGSEGV, &usual_segv, nullptr);
  ::sigaction(SIGTRAP, &usual_trap, nullptr);
  ::munmap(page, kPage);
  return looks;
}

}  // namespace hilo::tests
#endif
