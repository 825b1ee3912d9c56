// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/fft/transform.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>

#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/stop.h"
#include "hilo/base/thread_own.h"

namespace hilo::cpu::fft {
namespace {

// minimum factor of a matrix whose lines are convolutions: fills the lanes of a register
constexpr int64_t kMinFactor = 16;
constexpr int64_t kMaxDirect = 2048;       // elements of a line whose lanes fit in the L2 cache twice
constexpr int64_t kMinSplit = 64;          // below, one line in one lane is fast enough
constexpr double kPollInterval = 1 << 24;  // terms of a transform between two checks of the stop word

bool pays_off(double terms) { return worth_forking(work_ns(kCpuCosts.library.transform_term, terms)); }

/// Returns radices whose product is `length`, the large ones first; empty if a prime factor is too large.
std::vector<int> radices_of(int64_t length) {
  std::vector<int> radices;
  int twos = 0;
  while (length % 2 == 0) {
    length /= 2;
    ++twos;
  }
  // 8 8 2 is slower than 8 4 4.
  const int eights = twos % 3 == 1 ? std::max(0, twos / 3 - 1) : twos / 3;
  radices.assign(eights, 8);
  for (twos -= 3 * eights; twos >= 2; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  const size_t odd = radices.size();
  for (int prime = 3; prime <= kMaxRadix; prime += 2) {  // composite numbers divide nothing that remains
    for (; length % prime == 0; length /= prime) radices.push_back(prime);
  }
  std::reverse(radices.begin() + odd, radices.end());
  if (length != 1) return {};
  return radices;
}

bool is_smooth(int64_t length) { return length == 1 || !radices_of(length).empty(); }

template <typename T>
void append(std::complex<double> value, std::vector<T>& to) {
  to.push_back(static_cast<T>(value.real()));
  to.push_back(static_cast<T>(value.imag()));
}

/// Returns the smallest length, at least `least`, that has only small factors.
int64_t smooth_from(int64_t least) {
  int64_t best = 1;
  while (best < least) best *= 2;
  for (int64_t odd : {3, 5, 7, 9, 15, 21, 25, 27, 35, 45, 49, 63, 75, 81}) {
    int64_t length = odd;
    while (length < least) length *= 2;
    best = std::min(best, length);
  }
  return best;
}

/// Returns the number of elements that the passes transform: those of a line, or of the convolution that replaces a
/// large prime factor.
int64_t padded_length(int64_t length) { return is_smooth(length) ? length : smooth_from(2 * length - 1); }

/// Checks the stop word now and then: tables of long lines take seconds. The tables are invalid after a stop.
bool stops(const StopFlag& stop, int64_t k) {
  constexpr int64_t kPollRoots = 1 << 16;
  return k % kPollRoots == 0 && stop.raised();
}

/// Computes the chirp, for a convolution of at least 2 length - 1 elements.
template <typename T>
Chirp<T> make_chirp(int64_t length, int64_t padded, Isa isa) {
  Chirp<T> chirp;
  std::vector<double> filter(2 * padded);
  chirp.factors.reserve(2 * length);
  const RootsOfUnity root_of(2 * length);
  const StopFlag stop;
  int64_t square = 0;  // k^2 modulo 2n
  for (int64_t k = 0; k < length && !stops(stop, k); ++k) {
    const std::complex<double> root = root_of(square);
    square += 2 * k + 1;
    square -= square >= 2 * length ? 2 * length : 0;
    append(root, chirp.factors);
    for (int64_t place : {k, (padded - k) % padded}) {
      filter[2 * place] = root.real();
      filter[2 * place + 1] = -root.imag();
    }
  }
  const Transform<double> exact(padded, isa);
  if (!exact.run({{filter.data(), 1, padded}, {filter.data(), 1, padded}}).ok())
    throw std::bad_alloc();  // as vectors throw it
  chirp.filter.reserve(filter.size());
  for (double value : filter) chirp.filter.push_back(static_cast<T>(value / static_cast<double>(padded)));
  return chirp;
}

template <typename T>
LineTables<T> make_table(int64_t length, Isa isa) {
  LineTables<T> table;
  table.length = length;
  table.padded = padded_length(length);
  if (table.padded != length) table.chirp = make_chirp<T>(length, table.padded, isa);
  std::vector<int64_t> roots_at(kMaxRadix + 1, -1);  // by radix
  int64_t left = table.padded, stride = 1;
  for (int radix : radices_of(left)) {
    const int64_t count = left / radix;
    const RootsOfUnity root_of(left), own_root(radix);
    int64_t& roots = roots_at[radix];
    if (roots < 0) {
      roots = std::ssize(table.roots);
      for (int64_t j = 0; j < radix; ++j) append(own_root(j), table.roots);
    }
    table.passes.push_back({radix, count, stride, std::ssize(table.twiddles), roots});
    for (int64_t p = 0; p < count; ++p) {
      for (int64_t j = 1; j < radix; ++j) append(root_of(p * j), table.twiddles);
    }
    left = count;
    stride *= radix;
  }
  return table;
}

/// Whether the lanes of such lines fit in the L2 cache.
bool is_direct(int64_t length) { return padded_length(length) <= kMaxDirect; }

/// Whether lines are computed as matrices although their length isn't smooth.
bool is_split(int64_t length, int64_t a) { return a >= kMinFactor && is_direct(a) && is_direct(length / a); }

/// Returns the factor of `length` nearest to its square root.
int64_t middle_factor(int64_t length) {
  auto factor = static_cast<int64_t>(std::sqrt(static_cast<double>(length)));
  while (length % factor != 0) --factor;
  return factor;
}

/// Returns the start of line `i` of a batch.
template <typename T>
const T* from_line(const Batch<T>& b, int64_t i) {
  return b.from.data + 2 * (i / b.count * b.from_group + i % b.count * b.from.line);
}
template <typename T>
T* to_line(const Batch<T>& b, int64_t i) {
  return b.to.data + 2 * (i / b.count * b.to_group + i % b.count * b.to.line);
}

double work_of(int64_t length, int64_t lines) {
  return 5.0 * static_cast<double>(length) * std::log2(static_cast<double>(length) + 1) * static_cast<double>(lines);
}

/// Memory for the line that a thread works on.
struct LineMemory {
  std::vector<std::byte> bytes;
};
/// Returns memory of the thread of at least that many bytes, aligned for vectors. It is valid until the next call.
void* line_memory(int64_t bytes) {
  constexpr size_t kAlignment = 64;
  auto& buffer = thread_own<LineMemory>().bytes;
  if (buffer.size() < static_cast<size_t>(bytes) + kAlignment) buffer.resize(static_cast<size_t>(bytes) + kAlignment);
  const auto address = reinterpret_cast<uintptr_t>(buffer.data());
  return buffer.data() + (kAlignment - address % kAlignment) % kAlignment;
}

}  // namespace

RootsOfUnity::RootsOfUnity(int64_t n)
    : n_(n), fine_count_(static_cast<int64_t>(std::sqrt(static_cast<double>(n))) + 1) {
  const auto root = [n](int64_t eighths) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(eighths) / (8.0L * static_cast<long double>(n));
    return Root{std::cos(angle), std::sin(angle)};
  };
  for (int64_t k = 0; k < fine_count_; ++k) fine_.push_back(root(k));
  for (int64_t k = 0; k <= n; k += fine_count_) coarse_.push_back(root(k));
}

std::complex<double> RootsOfUnity::operator()(int64_t k) const {
  // The distance to the nearest multiple of a quarter turn, at most one octant, in eighths of a step.
  const int64_t quarter = (8 * k / n_ + 1) / 2, rest = 8 * k - 2 * quarter * n_, distance = std::abs(rest);
  const Root &a = coarse_[distance / fine_count_], &b = fine_[distance % fine_count_];
  const long double sine = a.sine * b.cosine + a.cosine * b.sine;
  const auto c = static_cast<double>(a.cosine * b.cosine - a.sine * b.sine);
  const auto s = static_cast<double>(rest < 0 ? -sine : sine);
  switch (quarter % 4) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

template <typename T>
Transform<T>::Transform(int64_t length, Isa isa) : length_(length), kernels_(runtime::fft::kernels_of<T>(isa)) {
  if (is_direct(length)) direct_ = make_table<T>(length, isa);
  if (length < kMinSplit) return;
  const bool smooth = is_smooth(length);
  const int64_t a = middle_factor(length), b = length / a;
  if (smooth ? a > 1 : is_split(length, a)) {
    split_ = Split<T>{make_table<T>(a, isa), make_table<T>(b, isa), {}};
    const RootsOfUnity root_of(length);
    split_->twiddles.reserve(2 * length);
    const StopFlag stop;
    for (int64_t k = 0; k < a && !stop.raised(); ++k) {
      for (int64_t l = 0; l < b; ++l) append(root_of(k * l), split_->twiddles);
    }
  } else if (!smooth) {
    const int64_t padded = padded_length(length);
    padded_ = std::make_unique<Transform<T>>(padded, isa);
    chirp_ = direct_ ? direct_->chirp : make_chirp<T>(length, padded, isa);
  }
}

template <typename T>
int64_t Transform<T>::table_bytes(int64_t length) {
  constexpr int64_t kElement = 2 * sizeof(T), kExact = 2 * sizeof(double);
  constexpr int64_t kLongest = INT64_MAX / 64 / kExact;
  if (length > kLongest) return INT64_MAX;
  if (is_smooth(length) || (length <= kMaxDirect * kMaxDirect && is_split(length, middle_factor(length))))
    return kElement * length;
  // The chirp, the filter and the factors of padded lines. While the filter is computed: also itself, the factors of
  // its transform and that transform's memory, in double.
  return kElement * (length + 2 * padded_length(length)) + 3 * kExact * padded_length(length);
}

template <typename T>
Transform<T>::~Transform() = default;
template <typename T>
Transform<T>::Transform(Transform&&) noexcept = default;

template <typename T>
void Transform<T>::run_job(LineJob<T> job, double work) const {
  const int64_t blocks = (job.end - job.begin + kernels_.lanes - 1) / kernels_.lanes;
  const auto interval =
      static_cast<int64_t>(std::clamp(kPollInterval / std::max(work, 1.0) * static_cast<double>(blocks), 1.0, 1e9));
  in_parts(blocks, pays_off(work) ? parts_for_threads(blocks) : 1, [&](int64_t first, int64_t last) {
    in_stretches(last - first, interval, [&](int64_t begin, int64_t end) {
      LineJob<T> part = job;
      part.begin = std::min(job.end, job.begin + (first + begin) * kernels_.lanes);
      part.end = std::min(job.end, job.begin + (first + end) * kernels_.lanes);
      part.memory = line_memory(line_memory_bytes(*job.table, kernels_.lanes));
      kernels_.run(part);
    });
  });
}

template <typename T>
void Transform<T>::run_direct(const Batch<T>& batch) const {
  const LineTable<T> table = direct_->view();
  LineJob<T> job{&table, batch.from, batch.to, 0, batch.count, batch.inverse, batch.scale};
  job.real = batch.real;
  const auto group = [&](int64_t g, double work) {
    LineJob<T> one = job;
    one.from.data += 2 * g * batch.from_group;
    one.to.data += 2 * g * batch.to_group;
    run_job(one, work);
  };
  const double work = work_of(length_, batch.count);
  if (batch.groups > 1 && pays_off(work * static_cast<double>(batch.groups))) {
    each_in_parts(batch.groups, parts_for_threads(batch.groups), [&](int64_t g) { group(g, 0); });
  } else {
    for (int64_t g = 0; g < batch.groups; ++g) group(g, work);
  }
}

/// length = A B: B transforms of length A down the columns and A of length B along the rows. In between, each element
/// is multiplied by a factor. Element k1 + A k2 of the result is in row k1.
template <typename T>
Status Transform<T>::run_split(const T* from, int64_t from_element, T* to, int64_t to_element, bool inverse,
                               T scale) const {
  const int64_t a = split_->columns.length, b = split_->rows.length;
  HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(2 * length_ * sizeof(T)));
  T* const between = reinterpret_cast<T*>(memory.data());
  const LineTable<T> columns = split_->columns.view(), rows = split_->rows.view();
  LineJob<T> down{&columns, {from, b * from_element, from_element}, {between, b, 1}, 0, b, inverse, 1};
  down.twiddle = split_->twiddles.data();
  down.twiddle_line = b;
  run_job(down, work_of(length_, 1));
  run_job({&rows, {between, 1, b}, {to, a * to_element, to_element}, 0, a, inverse, scale}, work_of(length_, 1));
  return ok_status();
}

template <typename T>
Status Transform<T>::run_convolutions(const Batch<T>& batch, int64_t begin, int64_t end) const {
  const int64_t n = padded_->length(), lines = end - begin;
  HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(2 * n * lines * sizeof(T)));
  T* const x = reinterpret_cast<T*>(memory.data());
  for (int64_t i = 0; i < lines; ++i) {
    T* const line = x + 2 * n * i;
    multiply_into<T>(from_line(batch, begin + i), batch.from.element, chirp_.factors.data(), length_, batch.inverse, 1,
                     line, 1);
    std::fill(line + 2 * length_, line + 2 * n, T(0));
  }
  // The inverse is the conjugate of the forward transform of the conjugate: its chirp and filter are conjugates, too.
  // The filter is even, and so is its transform. Its conjugate is therefore the transform of the conjugate.
  const Batch<T> forward{{x, 1, n}, {x, 1, n}, lines};
  HILO_RETURN_IF_ERROR(padded_->run(forward));
  for (int64_t i = 0; i < lines; ++i)
    multiply_into<T>(x + 2 * n * i, 1, chirp_.filter.data(), n, batch.inverse, 1, x + 2 * n * i, 1);
  Batch<T> back = forward;
  back.inverse = true;
  HILO_RETURN_IF_ERROR(padded_->run(back));
  for (int64_t i = 0; i < lines; ++i) {
    multiply_into<T>(x + 2 * n * i, 1, chirp_.factors.data(), length_, batch.inverse, batch.scale,
                     to_line(batch, begin + i), batch.to.element);
  }
  return ok_status();
}

template <typename T>
Status Transform<T>::run(const Batch<T>& batch) const {
  const int64_t lines = batch.count * batch.groups;
  if (lines == 0) return ok_status();
  if (direct_ && !are_few(lines)) {
    run_direct(batch);
    return ok_status();
  }
  // Convolutions of several lines share the lanes of a register.
  const int64_t together = padded_ == nullptr ? 1 : kernels_.lanes, parts = (lines + together - 1) / together;
  std::atomic<bool> failed = false;
  const auto part = [&](int64_t p) {
    const int64_t begin = p * together, end = std::min(lines, begin + together);
    const Status status = padded_ != nullptr
                              ? run_convolutions(batch, begin, end)
                              : run_split(from_line(batch, begin), batch.from.element, to_line(batch, begin),
                                          batch.to.element, batch.inverse, batch.scale);
    if (!status.ok()) failed = true;
  };
  const bool forks = parts >= default_pool().threads() && pays_off(work_of(length_, lines));
  each_in_parts(parts, forks ? parts : 1, part);
  if (failed) return resource_exhausted("fft: no memory for its intermediate values");
  return ok_status();
}

template <typename T>
std::vector<T> real_line_roots(int64_t half) {
  std::vector<T> roots;
  const RootsOfUnity root_of(2 * half);
  for (int64_t k = 0; k <= half / 2; ++k) append(root_of(k), roots);
  return roots;
}

template class Transform<float>;
template class Transform<double>;
template std::vector<float> real_line_roots(int64_t half);
template std::vector<double> real_line_roots(int64_t half);

}  // namespace hilo::cpu::fft
