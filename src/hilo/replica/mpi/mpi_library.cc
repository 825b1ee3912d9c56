// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/mpi/mpi_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace hilo {
namespace {

constexpr int kMaxTextLength = 8192;  // maximum length of a version or an error text of any MPI

/// Sets the constants of MPICH's ABI, which Intel MPI, MVAPICH and Cray MPI share. Source: <mpi.h> of MPICH 4.0
void fill_mpich(MpiLibrary& mpi) {
  mpi.world = 0x44000000;
  mpi.byte = 0x4c00010d;
  mpi.int64 = 0x4c00083a;
  mpi.max = 0x58000001;
  mpi.errors_return = 0x54000001;
}

/// Sets the constants of the standard ABI. Source: MPI 5.0, appendix A
void fill_standard(MpiLibrary& mpi) {
  mpi.world = 0x101;
  mpi.byte = 0x247;
  mpi.int64 = 0x258;
  mpi.max = 0x23;
  mpi.errors_return = 0x142;
}

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}
  MpiHandle address(const char* name) const { return reinterpret_cast<MpiHandle>(::dlsym(library_, name)); }
  template <typename Function>
  void bind(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr) missing_.emplace_back(name);
  }
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  void* library_;
  std::vector<std::string> missing_;
};

/// Sets Open MPI's constants. Its handles are the addresses of objects in the library.
void fill_open_mpi(MpiLibrary& mpi, const Symbols& symbols) {
  mpi.world = symbols.address("ompi_mpi_comm_world");
  mpi.byte = symbols.address("ompi_mpi_byte");
  mpi.int64 = symbols.address("ompi_mpi_int64_t");
  mpi.max = symbols.address("ompi_mpi_op_max");
  mpi.errors_return = symbols.address("ompi_mpi_errors_return");
}

void bind_all(MpiLibrary& mpi, Symbols& symbols) {
  symbols.bind(mpi.init_thread, "MPI_Init_thread");
  symbols.bind(mpi.initialized, "MPI_Initialized");
  symbols.bind(mpi.finalize, "MPI_Finalize");
  symbols.bind(mpi.finalized, "MPI_Finalized");
  symbols.bind(mpi.comm_rank, "MPI_Comm_rank");
  symbols.bind(mpi.comm_size, "MPI_Comm_size");
  symbols.bind(mpi.comm_dup, "MPI_Comm_dup");
  symbols.bind(mpi.comm_set_errhandler, "MPI_Comm_set_errhandler");
  symbols.bind(mpi.isend, "MPI_Isend");
  symbols.bind(mpi.irecv, "MPI_Irecv");
  symbols.bind(mpi.test, "MPI_Test");
  symbols.bind(mpi.cancel, "MPI_Cancel");
  symbols.bind(mpi.allreduce, "MPI_Allreduce");
  symbols.bind(mpi.allgather, "MPI_Allgather");
  symbols.bind(mpi.error_string, "MPI_Error_string");
}

std::string version_of(const Symbols& symbols) {
  const auto get = reinterpret_cast<int (*)(char*, int*)>(symbols.address("MPI_Get_library_version"));
  if (get == nullptr) return "";
  std::string text(kMaxTextLength, '\0');
  int length = 0;
  if (get(text.data(), &length) != 0) return "";
  return text.substr(0, text.find_first_of(std::string_view(",\n\0", 3)));
}

StatusOr<std::unique_ptr<MpiLibrary>> bind_library(const std::string& file, void* library) {
  auto mpi = std::make_unique<MpiLibrary>();
  mpi->file = file;
  Symbols symbols(library);
  bind_all(*mpi, symbols);
  if (!symbols.missing().empty()) {
    return invalid_argument(
        fmt::format("{} is not an MPI library: it lacks {}", file, fmt::join(symbols.missing(), ", ")));
  }
  mpi->is_open_mpi = symbols.address("ompi_mpi_comm_world") != 0;
  if (mpi->is_open_mpi) fill_open_mpi(*mpi, symbols);
  else if (symbols.address("MPI_Abi_get_version") != 0) fill_standard(*mpi);
  else fill_mpich(*mpi);
  mpi->version = version_of(symbols);
  return mpi;
}

StatusOr<std::unique_ptr<MpiLibrary>> open_library(bool for_mpich) {
  std::vector<std::string> files = {"libmpi.so.40", "libmpi_abi.so.0", "libmpich.so.12", "libmpi.so.12"};
  if (for_mpich) files = {"libmpich.so.12", "libmpi.so.12", "libmpi_abi.so.0", "libmpi.so.40"};
  if (const char* const asked = std::getenv("HILO_MPI_LIBRARY"); asked != nullptr && *asked != '\0') files = {asked};
  for (const std::string& file : files) {
    if (void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr)
      return bind_library(file, library);
  }
  const char* const why = ::dlerror();
  return not_found(fmt::format(
      "no MPI library: none of {} can be opened ({}). Hint: install libopenmpi3 or libmpich12, or set HILO_MPI_LIBRARY",
      fmt::join(files, ", "), why == nullptr ? "no reason given" : why));
}

}  // namespace

Status mpi_status(const MpiLibrary& mpi, const char* call, int code) {
  if (code == 0) return ok_status();
  std::string text(kMaxTextLength, '\0');
  int length = 0;
  if (mpi.error_string(code, text.data(), &length) != 0) length = 0;
  text.resize(length);
  return internal_error(fmt::format("{}: error {}: {}", call, code, text));
}

StatusOr<const MpiLibrary*> mpi_library(bool for_mpich) {
  static std::mutex mutex;
  static const MpiLibrary* opened = nullptr;
  const std::scoped_lock lock(mutex);
  if (opened == nullptr) {
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<MpiLibrary> library, open_library(for_mpich));
    opened = library.release();
  }
  return opened;
}

}  // namespace hilo
