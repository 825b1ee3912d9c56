// SPDX-License-Identifier: Apache-2.0
#include "hilo/c/guarded.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "hilo/c/hilo.h"

namespace hilo::c {

int report(const Status& status, char** error) {
  const int code = static_cast<int>(status.code());
  if (error == nullptr) return code;
  *error = nullptr;
  try {
    const std::string text = status.to_string();
    *error = static_cast<char*>(std::malloc(text.size() + 1));
    if (*error != nullptr) std::memcpy(*error, text.c_str(), text.size() + 1);
  } catch (const std::bad_alloc&) {
    return code;
  }
  return code;
}

Status null_parameter(std::string_view function, std::string_view name) {
  return invalid_argument(fmt::format("{}: {} is null", function, name));
}

extern "C" {

void hilo_error_free(char* error) { std::free(error); }

}  // extern "C"

}  // namespace hilo::c
