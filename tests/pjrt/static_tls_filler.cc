// SPDX-License-Identifier: Apache-2.0
// A library that takes a cache line of the room that a process keeps for thread-local variables of libraries opened
// later.
namespace {
[[gnu::tls_model("initial-exec")]] thread_local volatile char line[64];
}

extern "C" int touch_line() { return ++line[0]; }
