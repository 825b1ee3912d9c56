// SPDX-License-Identifier: Apache-2.0
// replica/mpi/mpi_library.h -- the MPI of this machine, opened when first needed: Open MPI, MPICH and those of its ABI,
// or the standard ABI of MPI 5. hilo is neither linked with one nor built with its headers.
#pragma once

#include <cstdint>
#include <string>

#include "hilo/base/status.h"

namespace hilo {

/// A handle of any MPI. Open MPI's and the standard ABI's are pointers. MPICH's are ints: they travel in the low half
/// of a register, and the library writes them to the low half of zeroed memory, which a little-endian machine reads
/// alike. Arrays of handles would differ in their strides: none are passed.
using MpiHandle = std::intptr_t;

/// What a library fills in where a call has a status; nobody reads it. The largest has 32 bytes.
struct MpiStatus {
  alignas(8) char bytes[64];
};

/// The calls that hilo makes, and the library's constants.
struct MpiLibrary {
  std::string file;     ///< "libmpi.so.40"
  std::string version;  ///< as the library says it: "Open MPI v4.1.4"
  bool is_open_mpi = false;
  MpiHandle world = 0, byte = 0, int64 = 0, max = 0, errors_return = 0;

  int (*init_thread)(int*, char***, int, int*) = nullptr;
  int (*initialized)(int*) = nullptr;
  int (*finalize)() = nullptr;
  int (*finalized)(int*) = nullptr;
  int (*comm_rank)(MpiHandle, int*) = nullptr;
  int (*comm_size)(MpiHandle, int*) = nullptr;
  int (*comm_dup)(MpiHandle, MpiHandle*) = nullptr;
  int (*comm_set_errhandler)(MpiHandle, MpiHandle) = nullptr;
  int (*isend)(const void*, int, MpiHandle, int, int, MpiHandle, MpiHandle*) = nullptr;
  int (*irecv)(void*, int, MpiHandle, int, int, MpiHandle, MpiHandle*) = nullptr;
  int (*test)(MpiHandle*, int*, MpiStatus*) = nullptr;
  int (*cancel)(MpiHandle*) = nullptr;
  int (*allreduce)(const void*, void*, int, MpiHandle, MpiHandle, MpiHandle) = nullptr;
  int (*allgather)(const void*, int, MpiHandle, void*, int, MpiHandle, MpiHandle) = nullptr;
  int (*error_string)(int, char*, int*) = nullptr;
};

/// OK, or INTERNAL "MPI_Isend: ...".
Status mpi_status(const MpiLibrary& mpi, const char* call, int code);

/// The library that HILO_MPI_LIBRARY names, or else the first that is there of those that fit the launcher `for_mpich`
/// speaks of. It stays open.
/// Errors    NOT_FOUND naming the libraries that were tried and the packages that have them; INVALID_ARGUMENT for a
///           library that isn't one of MPI
StatusOr<const MpiLibrary*> mpi_library(bool for_mpich);

}  // namespace hilo
