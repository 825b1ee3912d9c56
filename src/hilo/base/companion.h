// SPDX-License-Identifier: Apache-2.0
// base/companion.h -- companions: hilo's own libraries next to libhilo.so. Each is opened when it is first needed.
#pragma once

#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo {

/// What a companion exports begins with this. The rest of the table are functions.
struct CompanionTable {
  std::string_view version;  ///< of the hilo that it was built with
};

/// How a table is found, and what a user reads if it isn't.
struct CompanionNames {
  const char* library;    ///< "libhilo_rpc.so"
  const char* symbol;     ///< of the table in it
  const char* needed_by;  ///< "the backend xrt"
  const char* hint;
};

/// Opens the library in the folder of libhilo.so, or where the loader finds it. It stays open.
/// Errors    NOT_FOUND without the library; RESOURCE_EXHAUSTED without memory for it; FAILED_PRECONDITION for one of
///           another version
StatusOr<const CompanionTable*> open_companion(const CompanionNames& names);

/// Where the library should be: in the folder of libhilo.so.
std::string companion_path(const CompanionNames& names);

/// The same of a library that is open already; null if it isn't.
const CompanionTable* opened_companion(const CompanionNames& names);

/// `Table` derives CompanionTable and has its names: `static constexpr CompanionNames kNames`.
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
