// SPDX-License-Identifier: Apache-2.0
// bench/sparse.cc -- times of sparse solves of the matrices that bench/sparse.py has written: sparse FOLDER NAME...
// prints for each "NAME analysis factor_and_solve batched residual": milliseconds of the processor, the least of
// several runs. `batched` is the time per matrix of a batch of 64.
#include <ctime>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

constexpr int64_t kBatch = 64;

template <typename T>
std::vector<T> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<T> values(static_cast<size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

/// Seconds of all threads. Other programs on the machine don't change them much.
double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename F>
double least_ms(const F& f) {
  double least = 1e300, total = 0;
  for (int run = 0; run < 200 && (run < 3 || total < 0.1); ++run) {
    const double began = processor_seconds();
    f();
    const double took = processor_seconds() - began;
    total += took;
    if (run > 0) least = std::min(least, took);
  }
  return 1e3 * least;
}

void measure(const std::string& folder, const std::string& name) {
  const std::vector<int32_t> row = read<int32_t>(folder + "/" + name + ".row"),
                             column = read<int32_t>(folder + "/" + name + ".column");
  const std::vector<double> values = read<double>(folder + "/" + name + ".value");
  SparsityPattern pattern;
  for (size_t e = 0; e < row.size(); ++e) {
    pattern.entries.emplace_back(row[e], column[e]);
    pattern.rows = pattern.columns = std::max<int64_t>(pattern.rows, row[e] + 1);
  }
  const double began = processor_seconds();
  const auto symbolic = sparse::linalg::analyze(pattern);
  const double analysis = 1e3 * (processor_seconds() - began);
  const auto solve = [&](const Array& data, const Array& b) { return symbolic.solve(data, b); };
  const Array data = numpy::array(values), b = numpy::ones({pattern.rows}, float64);
  const auto one = jit(solve);
  const double single = least_ms([&] { block_until_ready(one(data, b)); });
  const Array scales = numpy::expand_dims(1.0 + numpy::arange(kBatch) / 1000.0, 1);
  const Array datas = scales * numpy::expand_dims(data, 0), bs = numpy::ones({kBatch, pattern.rows}, float64);
  const auto all_at_once = jit(vmap(solve));
  const bool small = symbolic.nnz() < 200'000;
  const double batched = small ? least_ms([&] { block_until_ready(all_at_once(datas, bs)); }) / kBatch : std::nan("");
  const std::vector<double> x = one(data, b).to_vector<double>();
  std::vector<double> rest(x.size(), 1.0);
  double largest = 0, size = 0;
  for (size_t e = 0; e < row.size(); ++e) rest[row[e]] -= values[e] * x[column[e]];
  for (size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::abs(rest[i])), size = std::max(size, std::abs(x[i]));
  std::printf("%s %.4f %.4f %.4f %.1e\n", name.c_str(), analysis, single, batched, largest / (1 + size));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  or_throw(config().update("jax_enable_x64", true));
  for (int k = 2; k < count; ++k) measure(words[1], words[k]);
}
