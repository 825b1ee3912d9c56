// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "hilo/base/text.h"
#include "hilo/version.h"

namespace hilo::rpc {
namespace {

constexpr const char* kName = "libhilo_rpc.so";

/// The folder of libhilo.so, with a slash; "" if it isn't known.
std::string own_folder() {
  Dl_info about;
  if (::dladdr(reinterpret_cast<const void*>(&open_library), &about) == 0 || about.dli_fname == nullptr) return "";
  const std::string path = about.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

StatusOr<const Library*> open_now() {
  void* opened = ::dlopen((own_folder() + kName).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) opened = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* const why = ::dlerror();
    return not_found(
        fmt::format("the backend xrt needs {}, which isn't here: {}. Hint: install libgrpc++-dev and "
                    "protobuf-compiler-grpc, and build again",
                    kName, why == nullptr ? "no reason given" : why));
  }
  const auto* const library = static_cast<const Library*>(::dlsym(opened, "hilo_rpc_library"));
  if (library == nullptr || library->version != version()) {
    return failed_precondition(fmt::format("{} is of hilo {}, and this is hilo {}", kName,
                                           library == nullptr ? "unknown" : library->version, version()));
  }
  return library;
}

}  // namespace

StatusOr<const Library*> open_library() {
  static const auto* const opened = new StatusOr<const Library*>(open_now());
  return *opened;
}

}  // namespace hilo::rpc
