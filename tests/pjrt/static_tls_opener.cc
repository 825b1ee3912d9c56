// SPDX-License-Identifier: Apache-2.0
// static_tls_opener LIBRARY...: a program without hilo. It opens libraries until the static TLS space is used up, and
// then the plugin. Prints the result of an addition on this thread and on another one.
#include <cstdio>
#include <cstring>
#include <thread>

#include "tests/pjrt/plugin_client.h"

using namespace hilo::tests;

namespace {

constexpr char kAdd[] = "HloModule add\nENTRY e {\n  a = f32[2] parameter(0)\n  ROOT s = f32[2] add(a, a)\n}";

void add() {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), kAdd, "", "hlo");
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2}, {2});
  const std::vector<float> sum = get(run(program.get(), {{a.get()}}).results[0][0].get());
  std::printf("%g %g\n", static_cast<double>(sum[0]), static_cast<double>(sum[1]));
}

}  // namespace

int main(int count, char** arguments) {
  int opened = 1;
  while (opened < count && dlopen(arguments[opened], RTLD_NOW | RTLD_LOCAL) != nullptr) ++opened;
  if (opened == count) return std::printf("all %d libraries found room\n", count - 1), 1;
  const char* const why = dlerror();
  if (std::strstr(why, "static TLS") == nullptr) return std::printf("%s\n", why), 1;
  try {
    add();
    std::thread(add).join();
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
}
