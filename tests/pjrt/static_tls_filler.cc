// SPDX-License-Identifier: Apache-2.0
// A library that uses a cache line of the static TLS space that a process reserves for libraries opened later.
namespace {
[[gnu::tls_model("initial-exec")]] thread_local volatile char line[64];
}

extern "C" int touch_line() { return ++line[0]; }
