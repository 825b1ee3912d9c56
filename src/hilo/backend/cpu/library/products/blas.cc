// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/backend/cpu/library/in_pairs.h"
#include "hilo/backend/cpu/library/products/product_choice.h"
#include "hilo/backend/cpu/library/products/strip_product.h"
#include "hilo/base/companion.h"
#include "hilo/base/stop.h"

namespace hilo::cpu {
namespace {

/// ?gemm of the type: C = alpha A B + beta C, column-major.
template <typename T>
using Gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                      const T*, const int*, const T*, T*, const int*);

struct Library {
  Gemm<float> sgemm = nullptr;
  Gemm<double> dgemm = nullptr;
  Gemm<std::complex<float>> cgemm = nullptr;
  Gemm<std::complex<double>> zgemm = nullptr;
  const char* name = "none";
  void* handle = nullptr;
};

constexpr int kSerial = 0;  // of openblas_get_parallel()

constexpr const char* kCoreType = "OPENBLAS_CORETYPE";

/// A scope in which OpenBLAS uses the kernels of another processor than it would select. It changes the environment,
/// which other threads may read. So it only exists while the library is opened, once, and only if the user hasn't set
/// the variable.
class CoreTypeScope {
 public:
  explicit CoreTypeScope(const char* name) { setenv(kCoreType, name, 1); }
  ~CoreTypeScope() { unsetenv(kCoreType); }
  CoreTypeScope(const CoreTypeScope&) = delete;
  CoreTypeScope& operator=(const CoreTypeScope&) = delete;
};

/// Returns the processor whose kernels OpenBLAS should use instead of those of `name`, or null. OpenBLAS knows
/// processors by their models: 0.3.21 uses its AVX2 kernels on AMD processors with AVX-512, and its SSE3 kernels on
/// newer Intel processors.
const char* better_core_type(std::string_view name) {
  constexpr std::string_view kWithAvx512[] = {"SkylakeX", "Cooperlake", "SapphireRapids"},
                             kWithAvx2[] = {"Haswell", "Zen"};
  if (std::ranges::find(kWithAvx512, name) != std::end(kWithAvx512)) return nullptr;
  if (!kIsX86) return nullptr;
  if (host_isa() == Isa::kAvx512) return "SKYLAKEX";
  if (host_isa() == Isa::kSse2 || std::ranges::find(kWithAvx2, name) != std::end(kWithAvx2)) return nullptr;
  return "HASWELL";
}

/// Returns a function of OpenBLAS, or null. In PyPI's scipy-openblas32 its names have a prefix.
void* symbol_of(void* handle, const char* name) {
  if (void* const symbol = dlsym(handle, name)) return symbol;
  return dlsym(handle, (std::string("scipy_") + name).c_str());
}
template <typename Function>
Function function_of(void* handle, const char* name) {
  return reinterpret_cast<Function>(symbol_of(handle, name));
}

/// Opens the library with kernels that use the processor's vectors. If the library is already open elsewhere, its
/// kernels don't change.
void* open_with_best_kernels(const char* file) {
  void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr || std::getenv(kCoreType) != nullptr) return handle;
  const auto core_name = function_of<char* (*)()>(handle, "openblas_get_corename");
  const char* const better = core_name == nullptr ? nullptr : better_core_type(core_name());
  if (better == nullptr) return handle;
  dlclose(handle);
  const CoreTypeScope scope(better);
  return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

// In the folder that Debian names after the architecture.
constexpr const char* kDebianOpenBlas = kIsX86 ? "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0"
                                               : "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0";

Library open_library() {
  Library library;
  // Several threads of hilo's pool call it at once, each for its own product. The serial build doesn't support that:
  // its calls share buffers without a lock, and sometimes a result is wrong. The first two are PyPI's: the process has
  // opened it, as the Python packages do, or it is installed next to the wheel hilo, whose library is in hilo/lib.
  const std::string names[] = {"libscipy_openblas.so",
                               library_folder() + "../../scipy_openblas32/lib/libscipy_openblas.so", kDebianOpenBlas,
                               "libopenblas.so.0", "libopenblas.so"};
  for (const std::string& name : names) {
    void* handle = open_with_best_kernels(name.c_str());
    if (handle == nullptr) continue;
    const auto kind = function_of<int (*)()>(handle, "openblas_get_parallel");
    if (kind == nullptr || kind() == kSerial) {
      dlclose(handle);
      continue;
    }
    if (const auto limit = function_of<void (*)(int)>(handle, "openblas_set_num_threads")) limit(1);
    library.sgemm = function_of<Gemm<float>>(handle, "sgemm_");
    library.dgemm = function_of<Gemm<double>>(handle, "dgemm_");
    library.cgemm = function_of<Gemm<std::complex<float>>>(handle, "cgemm_");
    library.zgemm = function_of<Gemm<std::complex<double>>>(handle, "zgemm_");
    if (library.sgemm != nullptr && library.dgemm != nullptr) {
      library.name = "OpenBLAS";
      library.handle = handle;
      return library;
    }
    dlclose(handle);
  }
  return {};
}

const Library& library() {
  static const Library instance = std::getenv("HILO_NO_BLAS") != nullptr ? Library{} : open_library();
  return instance;
}

constexpr int64_t kMaxBlasExtent = 1 << 30;  // BLAS has 32-bit sizes

/// C^T = B^T * A^T in the library's column-major order; if `adds`, C^T += B^T * A^T.
template <typename T>
void call_blas(Gemm<T> gemm, const MatrixProduct<T>& p, bool adds) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  // A row-major operand is its transpose in column-major order.
  const bool a_transposed = p.a_column != 1, b_transposed = p.b_column != 1;
  const int lda = static_cast<int>(std::max<int64_t>(a_transposed ? p.a_column : p.a_row, 1));
  const int ldb = static_cast<int>(std::max<int64_t>(b_transposed ? p.b_column : p.b_row, 1));
  const int ldc = static_cast<int>(p.ldc);
  const T one = 1, before = adds ? 1 : 0;
  gemm(b_transposed ? "T" : "N", a_transposed ? "T" : "N", &n, &m, &k, &one, p.b, &ldb, p.a, &lda, &before, p.c, &ldc);
}

/// Blocks of B are packed so that the inner loop runs along contiguous memory.
template <typename T>
void multiply_blocked(const MatrixProduct<T>& p, bool adds) {
  constexpr int64_t kBlock = 64, kDepth = 128;
  std::vector<T> packed(kBlock * kDepth);
  const StopFlag stop;
  for (int64_t i = 0; i < p.m && !adds; ++i) std::fill_n(p.c + i * p.ldc, p.n, T(0));
  for (int64_t j0 = 0; j0 < p.n; j0 += kBlock) {
    const int64_t width = std::min(kBlock, p.n - j0);
    for (int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
      const int64_t depth = std::min(kDepth, p.k - k0);
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t j = 0; j < width; ++j) packed[k * kBlock + j] = p.b[(k0 + k) * p.b_row + (j0 + j) * p.b_column];
      }
      if (stop.raised()) return;
      for (int64_t i = 0; i < p.m; ++i) {
        T sums[kBlock] = {};
        for (int64_t k = 0; k < depth; ++k) {
          const T a = p.a[i * p.a_row + (k0 + k) * p.a_column];
          const T* __restrict b = packed.data() + k * kBlock;
          for (int64_t j = 0; j < width; ++j) sums[j] += a * b[j];
        }
        T* __restrict c = p.c + i * p.ldc + j0;
        for (int64_t j = 0; j < width; ++j) c[j] += sums[j];
      }
    }
  }
}

constexpr double kPollInterval = double{1 << 30};  // multiplications of floats, about 20 ms
template <typename T>
constexpr double kTimesAFloat = sizeof(T) / sizeof(float);
template <typename T>
constexpr double kTimesAFloat<std::complex<T>> = 4 * kTimesAFloat<T>;
constexpr int64_t kMinRows = 256;  // per piece; with fewer the library would pack too often

/// Returns the rows or columns per piece: as many of `extent` as fit in the interval, where each takes `work`.
int64_t piece_of(int64_t extent, double work) {
  const double fitting = kPollInterval / work;
  if (fitting >= static_cast<double>(extent)) return extent;
  return std::min(extent, std::max(static_cast<int64_t>(fitting) / kMinRows * kMinRows, kMinRows));
}

/// Splits a large product into pieces by rows, and by columns if a piece of all columns is still large. The split
/// depends on the shapes alone, so results are always the same.
template <typename T>
void multiply_in_pieces(Gemm<T> gemm, const MatrixProduct<T>& p, bool adds) {
  const double depth = kTimesAFloat<T> * static_cast<double>(p.k);
  const int64_t rows = piece_of(p.m, depth * static_cast<double>(p.n));
  const int64_t columns = piece_of(p.n, depth * static_cast<double>(rows));
  in_stretches(p.m, rows, [&](int64_t row, int64_t row_end) {
    in_stretches(p.n, columns, [&](int64_t column, int64_t column_end) {
      MatrixProduct<T> piece = p;
      piece.m = row_end - row;
      piece.n = column_end - column;
      piece.a += row * p.a_row;
      piece.b += column * p.b_column;
      piece.c += row * p.ldc + column;
      call_blas(gemm, piece, adds);
    });
  });
}

/// Returns false without memory for packed operands.
template <typename T>
bool multiply_by_own(const StripKernels& kernels, const MatrixProduct<T>& p, bool adds) {
  const StripProduct product{{p.a, p.m, p.a_row, p.a_column}, {p.b, p.n, p.b_column, p.b_row}, p.k, p.c, p.ldc, adds};
  return multiply_strips(kernels, product, true).ok();
}

template <typename T>
void multiply_at_once(Gemm<T> gemm, const MatrixProduct<T>& p, bool adds, const OwnProduct& own) {
  const bool fits = std::max({p.m, p.n, p.k, p.a_row, p.a_column, p.b_row, p.b_column, p.ldc}) < kMaxBlasExtent;
  const bool has_gemm = gemm != nullptr && p.k > 0 && fits && is_blas_product(p);
  const bool uses_own = own.kernels != nullptr && (own.is_faster || !has_gemm) && is_blas_product(p);
  if (uses_own && multiply_by_own(*own.kernels, p, adds)) return;
  if (has_gemm) multiply_in_pieces(gemm, p, adds);
  else multiply_blocked(p, adds);
}

// Maximum number of products per call of a library. A library sums several hundred of them in order, and then adds such
// sums in order. Two calls add to the same result; more are joined in pairs.
constexpr int64_t kMaxDepth = 4096, kCallsInOrder = 2;
constexpr int64_t kFewSums = 1024, kMaxDepthOfFew = 512;  // which a library sums in order from one end to the other
constexpr int64_t kTile = 1024;  // rows and columns of a deep product at once: the sums to join stay in a cache

template <typename T>
int64_t most_depth(const MatrixProduct<T>& p) {
  return p.m * p.n <= kFewSums ? kMaxDepthOfFew : kMaxDepth;
}

template <typename T>
void multiply_deep(Gemm<T> gemm, const MatrixProduct<T>& p, const OwnProduct& own) {
  const int64_t parts = (p.k + most_depth(p) - 1) / most_depth(p);
  std::vector<T> further((sum_levels(parts, kCallsInOrder) - 1) * p.m * p.n);
  const auto at = [&](int64_t level) { return level == 0 ? p.c : further.data() + (level - 1) * p.m * p.n; };
  const auto row = [&](int64_t level) { return level == 0 ? p.ldc : p.n; };
  const auto add = [&](int64_t part, int64_t level, bool adds) {
    const int64_t begin = p.k * part / parts, end = p.k * (part + 1) / parts;
    MatrixProduct<T> here = p;
    here.k = end - begin;
    here.a += begin * p.a_column;
    here.b += begin * p.b_row;
    here.c = at(level);
    here.ldc = row(level);
    multiply_at_once(gemm, here, adds, own);
  };
  const StopFlag stop;
  const auto join = [&](int64_t level) {
    for (int64_t i = 0; i < p.m && !stop.raised(); ++i) {
      T* __restrict to = at(level) + i * row(level);
      const T* __restrict from = at(level + 1) + i * row(level + 1);
      for (int64_t j = 0; j < p.n; ++j) to[j] += from[j];
    }
  };
  sum_in_pairs(0, parts, kCallsInOrder, 0, add, join);
}

template <typename T>
void multiply_with(Gemm<T> gemm, const MatrixProduct<T>& p, const OwnProduct& own) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k <= most_depth(p)) return multiply_at_once(gemm, p, false, own);
  const StopFlag stop;
  for (int64_t i = 0; i < p.m; i += kTile) {
    for (int64_t j = 0; j < p.n && !stop.raised(); j += kTile) {
      MatrixProduct<T> tile = p;
      tile.m = std::min(kTile, p.m - i);
      tile.n = std::min(kTile, p.n - j);
      tile.a += i * p.a_row;
      tile.b += j * p.b_column;
      tile.c += i * p.ldc + j;
      multiply_deep(gemm, tile, own);
    }
  }
}

}  // namespace

void multiply(const MatrixProduct<float>& p, const OwnProduct& own) { multiply_with(library().sgemm, p, own); }
void multiply(const MatrixProduct<double>& p, const OwnProduct& own) { multiply_with(library().dgemm, p, own); }
void multiply(const MatrixProduct<float>& p) { multiply(p, OwnProduct{}); }
void multiply(const MatrixProduct<double>& p) { multiply(p, OwnProduct{}); }
void multiply(const MatrixProduct<std::complex<float>>& p) { multiply_with(library().cgemm, p, {}); }
void multiply(const MatrixProduct<std::complex<double>>& p) { multiply_with(library().zgemm, p, {}); }
const char* blas_name() { return library().name; }
void* blas_symbol(const char* name) {
  return library().handle == nullptr ? nullptr : symbol_of(library().handle, name);
}

}  // namespace hilo::cpu
