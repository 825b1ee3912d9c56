// SPDX-License-Identifier: Apache-2.0
// tests/processes/program.cc -- one of several processes that run.py starts. `program values` prints a line for each
// replica and each collective. `program MISHAP PROCESS STEP STEPS` computes until that process performs the mishap at
// that step.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "hilo/base/text_hash.h"
#include "hilo/hilo.h"

using namespace hilo;

namespace {

constexpr int64_t kSmall = 24, kLarge = 480'000;  // elements per replica, divisible by the group sizes

/// Numbers whose sum depends on the order of additions, for all replicas. Each process uses its own part.
Array awkward(ElementType type, int64_t count) {
  const Array i = numpy::reshape(numpy::arange(device_count() * count), {device_count(), count});
  const Array f = numpy::astype(i, ElementType::kF32);
  const Array values = 1e4f / (numpy::remainder(f, 97.0f) + 3.0f) - f * 0.0037f;
  const int64_t first = process_index() * local_device_count();
  return numpy::astype(numpy::slice(values, first, first + local_device_count()), type);
}

void print(const char* name, ElementType type, int64_t count, const Array& results) {
  const Literal all = results.to_literal();
  const size_t bytes = all.bytes().size() / static_cast<size_t>(local_device_count());
  for (int64_t r = 0; r < local_device_count(); ++r) {
    const char* const data = reinterpret_cast<const char*>(all.bytes().data()) + static_cast<size_t>(r) * bytes;
    std::printf("replica %lld %s %s %lld %016zx\n", static_cast<long long>(process_index() * local_device_count() + r),
                name, std::string(element_type_name(type)).c_str(), static_cast<long long>(count),
                TextHash()({data, bytes}));
  }
}

template <typename F>
void show(const char* name, ElementType type, const F& f) {
  for (const int64_t count : {kSmall, kLarge}) print(name, type, count, pmap(f, "i")(awkward(type, count)));
}

int values() {
  const int64_t n = device_count();
  std::vector<std::pair<int64_t, int64_t>> around, some;
  for (int64_t r = 0; r < n; ++r) around.emplace_back(r, (r + 1) % n);
  for (int64_t r = 1; r < n; r += 2) some.emplace_back(r, r - 1);
  for (const ElementType type : {ElementType::kF32, ElementType::kBf16, ElementType::kF16, ElementType::kS32,
                                 ElementType::kS8, ElementType::kC64}) {
    show("psum", type, [](const Array& x) { return lax::psum(x, "i"); });
    show("all_gather", type, [](const Array& x) { return lax::all_gather(x, "i"); });
    show("psum_scatter", type, [&](const Array& x) { return lax::psum_scatter(numpy::reshape(x, {n, -1}), "i"); });
    show("all_to_all", type, [&](const Array& x) { return lax::all_to_all(numpy::reshape(x, {n, -1}), "i", 0, 0); });
    show("ppermute", type, [&](const Array& x) { return lax::ppermute(x, "i", around); });
    show("ppermute of some", type, [&](const Array& x) { return lax::ppermute(x, "i", some); });
    if (type == ElementType::kC64) continue;
    show("pmax", type, [](const Array& x) { return lax::pmax(x, "i"); });
  }
  show("axis_index", ElementType::kS32, [](const Array& x) { return x * 0 + lax::axis_index("i"); });
  show("no meeting", ElementType::kF32, [](const Array& x) { return x * x; });
  return 0;
}

/// A failure of one process at one step.
struct Mishap {
  std::string kind;
  int64_t process = 0, step = 0;
};

void befall(const Mishap& mishap) {
  if (mishap.kind == "kill") ::raise(SIGKILL);
  if (mishap.kind == "stop") ::raise(SIGSTOP);
  if (mishap.kind == "end") std::exit(0);
  const auto late = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (mishap.kind == "slow" && std::chrono::steady_clock::now() < late) continue;
  while (mishap.kind == "hang") ::pause();
}

/// Steps of sums over all devices, each of which is checked.
int steps(const Mishap& mishap, int64_t count) {
  const auto sum = pmap([](const Array& x) { return lax::psum(x, "i"); }, "i");
  const auto other = pmap([](const Array& x) { return lax::psum(x * 2.0f, "i"); }, "i");
  const int64_t first = process_index() * local_device_count(), all = device_count();
  const Array mine = numpy::arange(first, first + local_device_count());
  for (int64_t step = 0; step < count; ++step) {
    const bool is_victim = process_index() == mishap.process && step == mishap.step;
    if (is_victim) befall(mishap);
    const Array x = numpy::full({local_device_count(), step % 10 == 9 ? 50'000 : 5}, static_cast<int>(step)) +
                    numpy::reshape(mine, {-1, 1});
    const Array total = is_victim && mishap.kind == "other" ? other(x) : sum(x);
    if (numpy::all(total == static_cast<int>(all * step + all * (all - 1) / 2)).item<bool>()) continue;
    return std::fprintf(stderr, "program: step %lld: wrong sum\n", static_cast<long long>(step)), 4;
  }
  std::printf("process %lld: %lld steps\n", static_cast<long long>(process_index()), static_cast<long long>(count));
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2 && std::string_view(argv[1]) == "values") return values();
  if (argc == 5) return steps({argv[1], std::atoll(argv[2]), std::atoll(argv[3])}, std::atoll(argv[4]));
  return std::fprintf(stderr, "usage: program values | program MISHAP PROCESS STEP STEPS\n"), 2;
} catch (const Error& error) {
  std::fprintf(stderr, "program: %s\n", error.what());
  return 3;
}
