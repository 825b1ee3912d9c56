// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/companion.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "hilo/base/files.h"
#include "hilo/version.h"

namespace hilo {
namespace {

void* open(const CompanionNames& names, int flags) {
  const std::string path = companion_path(names);
  const char* const library = names.library;
  return ::dlopen(file_exists(path) ? path.c_str() : library, RTLD_LAZY | RTLD_LOCAL | flags);
}

const CompanionTable* table_of(void* opened, const CompanionNames& names) {
  return static_cast<const CompanionTable*>(::dlsym(opened, names.symbol));
}

}  // namespace

std::string library_folder() {
  static const char here = 0;
  Dl_info about;
  if (::dladdr(&here, &about) == 0 || about.dli_fname == nullptr) return "";
  const std::string path = about.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string companion_path(const CompanionNames& names) {
  const std::string folder = library_folder();
  const std::string of_version =
      fmt::format("{}hilo-{}.{}/{}", folder, HILO_VERSION_MAJOR, HILO_VERSION_MINOR, names.library);
  return file_exists(of_version) ? of_version : folder + names.library;
}

StatusOr<const CompanionTable*> open_companion(const CompanionNames& names) {
  void* const opened = open(names, 0);
  if (opened == nullptr) {
    const char* const why = ::dlerror();
    if (why != nullptr && std::string_view(why).find("failed to map segment") != std::string_view::npos)
      return resource_exhausted(fmt::format("{} needs {}: {}", names.needed_by, names.library, why));
    return not_found(fmt::format("{} needs {}, which is missing: {}. Hint: {}", names.needed_by, names.library,
                                 why == nullptr ? "no reason given" : why, names.hint));
  }
  const CompanionTable* const table = table_of(opened, names);
  if (table == nullptr || table->version != version()) {
    return failed_precondition(fmt::format("{} belongs to hilo {}, but this is hilo {}", names.library,
                                           table == nullptr ? "unknown" : table->version, version()));
  }
  return table;
}

const CompanionTable* opened_companion(const CompanionNames& names) {
  void* const opened = open(names, RTLD_NOLOAD);
  return opened == nullptr ? nullptr : table_of(opened, names);
}

}  // namespace hilo
