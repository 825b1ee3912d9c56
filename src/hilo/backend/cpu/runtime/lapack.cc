// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/lapack.h"

#include "hilo/backend/cpu/runtime/lapack_routine.h"
#include "hilo/base/text.h"

namespace hilo::cpu::lapack {

Status check_routine(const void* address, std::string_view target) {
  if (address != nullptr) return ok_status();
  return unimplemented(fmt::format(
      "custom call {} needs LAPACK, which was not found. Hint: install libopenblas0-serial", quote(target)));
}

Status check_buffer(const Place& place, ElementType type, int inner) {
  const CustomCallBuffer* const buffer = place.buffer();
  const std::string what =
      fmt::format("custom call {}: {} {}", quote(place.frame.target), place.result ? "result" : "operand", place.index);
  if (buffer == nullptr) return invalid_argument(what + " is missing");
  const auto rank = static_cast<int>(buffer->dimensions.size());
  if (buffer->type != type || rank < inner) {
    return invalid_argument(fmt::format("{} is {}{}; wanted {} with at least {} dimensions", what,
                                        element_type_name(buffer->type), dimensions_to_string(buffer->dimensions),
                                        element_type_name(type), inner));
  }
  for (int64_t size : buffer->dimensions.last(static_cast<size_t>(inner))) {
    if (size > std::numeric_limits<int>::max() / 2)
      return unimplemented(fmt::format("{}: LAPACK can't count to {}", what, size));
  }
  return ok_status();
}

Status check_fits(const CustomCallFrame& frame, bool fits) {
  if (fits) return ok_status();
  std::string shapes;
  const auto append = [&](std::span<const CustomCallBuffer> buffers) {
    for (const CustomCallBuffer& b : buffers)
      shapes += fmt::format(" {}{}", element_type_name(b.type), dimensions_to_string(b.dimensions));
  };
  append(frame.operands);
  shapes += " ->";
  append(frame.results);
  return invalid_argument(
      fmt::format("custom call {}: the shapes don't fit each other;{}", quote(frame.target), shapes));
}

namespace {

/// lapack_sNAME_ffi and so on. Real and complex routines differ in the names of some.
#define HILO_LAPACK_REAL(name, handler) \
  {"lapack_s" name "_ffi", handler<float>}, { "lapack_d" name "_ffi", handler<double> }
#define HILO_LAPACK_COMPLEX(name, handler) \
  {"lapack_c" name "_ffi", handler<std::complex<float>>}, { "lapack_z" name "_ffi", handler<std::complex<double>> }
#define HILO_LAPACK(name, handler) HILO_LAPACK_REAL(name, handler), HILO_LAPACK_COMPLEX(name, handler)

struct Target {
  const char* name;
  Status (*handler)(const CustomCallFrame&);
};
constexpr Target kTargets[] = {
    {"hilo_lu_pivots_to_permutation_ffi", pivots_to_permutation},
    HILO_LAPACK("getrf", getrf),
    HILO_LAPACK("potrf", potrf),
    HILO_LAPACK("trsm", trsm),
    HILO_LAPACK("geqrf", geqrf),
    HILO_LAPACK("geqp3", geqp3),
    HILO_LAPACK("gtsv", gtsv),
    HILO_LAPACK_REAL("orgqr", orgqr),
    HILO_LAPACK_COMPLEX("ungqr", orgqr),
    HILO_LAPACK_REAL("ormqr", ormqr),
    HILO_LAPACK_COMPLEX("unmqr", ormqr),
    HILO_LAPACK_REAL("syevd", syevd),
    HILO_LAPACK_COMPLEX("heevd", syevd),
    HILO_LAPACK_REAL("sytrd", sytrd),
    HILO_LAPACK_COMPLEX("hetrd", sytrd),
    HILO_LAPACK("gesdd", gesdd),
    HILO_LAPACK("gesvd", gesvd),
    HILO_LAPACK("geev", geev),
    HILO_LAPACK("gees", gees),
    HILO_LAPACK("gehrd", gehrd),
};

/// When the library is loaded: handlers only look for LAPACK when they are called.
const bool kRegistered = [] {
  bool all = true;
  for (const Target& target : kTargets) all &= register_custom_call(target.name, target.handler).ok();
  return all;
}();

}  // namespace
}  // namespace hilo::cpu::lapack
