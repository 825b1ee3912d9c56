// SPDX-License-Identifier: Apache-2.0
// replica/mpi/mpi_library.h -- loads the MPI library of the machine at run time: Open MPI, MPICH and libraries with its
// ABI, or the standard ABI of MPI 5. hilo needs no MPI to build or link.
#pragma once

#include <cstdint>
#include <string>

#include "hilo/base/status.h"

namespace hilo {

/// A handle of any MPI library. Handles are pointers in Open MPI and in the standard ABI. In MPICH they are ints,
/// passed in the low half of a register and written to the low half of zeroed memory, which works on little-endian
/// machines. Arrays of handles are never passed, because their strides would differ.
using MpiHandle = std::intptr_t;

/// Memory for the status argument of calls; its contents are ignored. The largest status has 32 bytes.
struct MpiStatus {
  alignas(8) char bytes[64];
};

/// The functions that hilo calls and the constants of the library.
struct MpiLibrary {
  std::string file;     ///< "libmpi.so.40"
  std::string version;  ///< version string of the library: "Open MPI v4.1.4"
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

/// Returns OK, or INTERNAL "MPI_Isend: ...".
Status mpi_status(const MpiLibrary& mpi, const char* call, int code);

/// Opens the library that HILO_MPI_LIBRARY names, or else the first available one that matches the launcher. It stays
/// open.
/// Errors    NOT_FOUND naming the libraries that were tried and their packages; INVALID_ARGUMENT for a library that
///           isn't an MPI
StatusOr<const MpiLibrary*> mpi_library(bool for_mpich);

}  // namespace hilo
