// SPDX-License-Identifier: Apache-2.0
// base/companion.h -- opens companions: hilo's own libraries next to libhilo.so, on first use.
#pragma once

#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo {

/// Head of the table that a companion exports. The rest of the table consists of functions.
struct CompanionTable {
  std::string_view version;  ///< version of the hilo that it was built with
};

/// Names for finding a companion's table and for error messages.
struct CompanionNames {
  const char* library;    ///< "libhilo_rpc.so"
  const char* symbol;     ///< name of the table in the library
  const char* needed_by;  ///< "the backend xrt"
  const char* hint;
};

/// Returns the folder of libhilo.so with a trailing slash, or "" if it is unknown.
std::string library_folder();

/// Opens the library in the folder of companion_path(), or else by the loader's search. It stays open.
/// Errors    NOT_FOUND if the library is missing; RESOURCE_EXHAUSTED without memory for it; FAILED_PRECONDITION for
///           another version
StatusOr<const CompanionTable*> open_companion(const CompanionNames& names);

/// Returns the expected path of the library: in the folder of libhilo.so, or in a folder hilo-0.1 there, as in Debian's
/// packages, of which several versions may be installed.
std::string companion_path(const CompanionNames& names);

/// Returns the table of a library that is already open, otherwise null.
const CompanionTable* opened_companion(const CompanionNames& names);

/// Opens a companion by the type of its table, which derives from CompanionTable and has `static constexpr
/// CompanionNames kNames`.
template <typename Table>
StatusOr<const Table*> open_companion() {
  HILO_ASSIGN_OR_RETURN(const CompanionTable* const table, open_companion(Table::kNames));
  return static_cast<const Table*>(table);
}

template <typename Table>
const Table* opened_companion() {
  return static_cast<const Table*>(opened_companion(Table::kNames));
}

}  // namespace hilo
