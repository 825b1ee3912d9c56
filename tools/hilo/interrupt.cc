// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/interrupt.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

namespace hilo::tool {
namespace {

constexpr suseconds_t kPatience = 400'000;  // microseconds; documented as 0.5 s

constinit CancellationToken token;
volatile sig_atomic_t spent = 0;

void end_now(int) { ::_exit(kExitInterrupted); }

void interrupt(int signal) {  // calls async-signal-safe functions only
  if (token.cancelled()) end_now(SIGINT);
  spent = signal == SIGXCPU;
  token.cancel();
  itimerval timer{};
  timer.it_value.tv_usec = kPatience;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_interrupts() {
  handle(SIGALRM, end_now);
  handle(SIGINT, interrupt);
  handle(SIGXCPU, interrupt);
  handle(SIGXFSZ, SIG_IGN);  // writes then return an error with the reason
}

const CancellationToken& interrupt_token() { return token; }
bool interrupted() { return token.cancelled(); }
bool out_of_processor_time() { return spent != 0; }

}  // namespace hilo::tool
