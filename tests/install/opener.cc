// SPDX-License-Identifier: Apache-2.0
// A program without hilo. `opener LIBRARY` opens the library, which loads libhilo.so, and prints its number.
#include <dlfcn.h>

#include <cstdio>

int main(int, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  const auto number = reinterpret_cast<float (*)()>(dlsym(library, "plugin_number"));
  std::printf("number %g\n", number == nullptr ? 0.0 : static_cast<double>(number()));
  return 0;
}
