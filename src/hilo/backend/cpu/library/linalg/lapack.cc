// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/linalg/lapack.h"

#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/text.h"
#include "hilo/lapack_ffi.h"

namespace hilo::cpu::lapack {

Status check_routine(const void* address, std::string_view target) {
  if (address != nullptr) return ok_status();
  return unimplemented(fmt::format(
      "custom call {} needs LAPACK, which was not found. Hint: install libopenblas0-pthread", quote(target)));
}

Status check_buffer(const Place& place, ElementType type, int inner) {
  const CustomCallBuffer* const buffer = place.buffer();
  const auto what = [&] {
    return fmt::format("custom call {}: {} {}", quote(place.frame.target), place.result ? "result" : "operand",
                       place.index);
  };
  if (buffer == nullptr) return invalid_argument(what() + " is missing");
  const auto rank = static_cast<int>(buffer->dimensions.size());
  if (buffer->type != type || rank < inner) {
    return invalid_argument(fmt::format("{} is {}{}; wanted {} with at least {} dimensions", what(),
                                        element_type_name(buffer->type), dimensions_to_string(buffer->dimensions),
                                        element_type_name(type), inner));
  }
  for (int64_t size : buffer->dimensions.last(inner)) {
    if (size > std::numeric_limits<int>::max() / 2)
      return unimplemented(fmt::format("{}: LAPACK doesn't support extents of {}", what(), size));
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

Status check_count(const CustomCallFrame& frame, double elements) {
  if (elements < std::numeric_limits<int>::max()) return ok_status();
  return unimplemented(
      fmt::format("custom call {}: too large for LAPACK; it needs {} elements of workspace; wanted less than 2^31",
                  quote(frame.target), elements));
}

StatusOr<char> letter(const CustomCallFrame& frame, std::string_view name, std::string_view allowed) {
  HILO_ASSIGN_OR_RETURN(const uint8_t value, frame.attribute<uint8_t>(name));
  if (value != 0 && allowed.find(static_cast<char>(value)) != std::string_view::npos) return static_cast<char>(value);
  std::string expected;
  for (char c : allowed) expected += fmt::format("{}{} ('{}')", expected.empty() ? "" : " or ", static_cast<int>(c), c);
  return invalid_argument(
      fmt::format("custom call {}: attribute {}; got {}; wanted {}", quote(frame.target), name, value, expected));
}

namespace {

/// Copies of the complex buffers with spare memory behind each; other buffers unchanged.
struct SpareCopies {
  std::vector<CustomCallBuffer> buffers;
  std::vector<AlignedBuffer> memory;
};

size_t byte_size(const CustomCallBuffer& buffer) {
  return static_cast<size_t>(buffer.element_count() * element_size_bytes(buffer.type));
}

/// Returns the bytes behind a buffer that OpenBLAS's gemv may read: one element more of the last vector, whose stride
/// may be a column.
size_t spare_bytes_of(const CustomCallBuffer& buffer) {
  constexpr int64_t kLeast = 64;
  const std::span<const int64_t> matrix = buffer.dimensions.last(std::min<size_t>(buffer.dimensions.size(), 2));
  const int64_t column = matrix.empty() ? 1 : std::ranges::max(matrix);
  return static_cast<size_t>(kLeast + column * element_size_bytes(buffer.type));
}

StatusOr<SpareCopies> spare_copies(std::span<const CustomCallBuffer> buffers) {
  SpareCopies r{{buffers.begin(), buffers.end()}, {}};
  for (CustomCallBuffer& buffer : r.buffers) {
    if (!is_complex(buffer.type)) continue;
    const size_t spare = spare_bytes_of(buffer);
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(byte_size(buffer) + spare));
    std::memset(memory.data() + byte_size(buffer), 0, spare);
    buffer.data = memory.data();
    r.memory.push_back(std::move(memory));
  }
  return r;
}

void copy_complex(std::span<const CustomCallBuffer> from, std::span<const CustomCallBuffer> to) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (is_complex(from[i].type)) std::memcpy(to[i].data, from[i].data, byte_size(from[i]));
  }
}

}  // namespace

Status call_with_spare(Status (*handler)(const CustomCallFrame&), const CustomCallFrame& frame) {
  HILO_ASSIGN_OR_RETURN(const SpareCopies operands, spare_copies(frame.operands));
  HILO_ASSIGN_OR_RETURN(const SpareCopies results, spare_copies(frame.results));
  copy_complex(frame.operands, operands.buffers);
  CustomCallFrame copied = frame;
  copied.operands = operands.buffers;
  copied.results = results.buffers;
  HILO_RETURN_IF_ERROR(handler(copied));
  copy_complex(results.buffers, frame.results);
  return ok_status();
}

namespace {

struct Target {
  const char* name;
  Status (*handler)(const CustomCallFrame&);
};
#define HILO_LAPACK_TARGETS(real_name, complex_name)                                                   \
  {"lapack_s" #real_name "_ffi", real_name<float>}, {"lapack_d" #real_name "_ffi", real_name<double>}, \
      {"lapack_c" #complex_name "_ffi", with_spare<real_name<std::complex<float>>>},                   \
      {"lapack_z" #complex_name "_ffi", with_spare<real_name<std::complex<double>>>},
constexpr Target kTargets[] = {{"hilo_lu_pivots_to_permutation_ffi", pivots_to_permutation},
                               {"tridiagonal_solve_perturbed_ffi", tridiagonal_solve_perturbed},
                               {"Qr", with_spare<qr>},
                               {"ProductOfElementaryHouseholderReflectors", with_spare<product_of_reflectors>},
                               // Handlers have the names of the real routines.
                               HILO_LAPACK_ROUTINES(HILO_LAPACK_TARGETS)};

}  // namespace

bool is_own_target(std::string_view target) {
  return std::ranges::find(kTargets, target, &Target::name) != std::end(kTargets);
}

namespace {

/// Registers at load time. Handlers look for LAPACK only when they are called.
const bool kRegistered = [] {
  bool all = true;
  for (const Target& target : kTargets) all &= register_custom_call(target.name, target.handler).ok();
  return all;
}();

}  // namespace
}  // namespace hilo::cpu::lapack
