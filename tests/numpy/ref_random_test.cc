// SPDX-License-Identifier: Apache-2.0
// Random programs of refs: without tracing (disable_jit), where a ref is a variable, and under jit, grad, jvp and vmap.
#include <gtest/gtest.h>

#include <random>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

constexpr int64_t kSize = 3;  // elements of each ref

/// Writes to the refs as the seed says. Statements nest to `depth`.
class Program {
 public:
  explicit Program(unsigned seed) : seed_(seed) {}
  void run(const std::vector<Ref>& refs, const Array& x, int depth = 3) const {
    std::mt19937 random(seed_);
    block(random, refs, x, depth);
  }

 private:
  static int pick(std::mt19937& random, int count) { return static_cast<int>(random() % count); }

  static void block(std::mt19937& random, const std::vector<Ref>& refs, const Array& x, int depth) {
    for (int i = 1 + pick(random, 3); i > 0; --i) statement(random, refs, x, depth);
  }

  static void statement(std::mt19937& random, const std::vector<Ref>& refs, const Array& x, int depth) {
    const Ref &to = refs[pick(random, refs.size())], &from = refs[pick(random, refs.size())];
    const int at = pick(random, kSize), kind = pick(random, depth > 0 ? 11 : 4);
    // A body runs more than once where it is traced again: each run begins with the same numbers.
    const unsigned own_seed = random();
    const auto body = [&, own_seed](const Array& own_x, unsigned more = 0) {
      std::mt19937 own(own_seed + more);
      block(own, refs, own_x, depth - 1);
    };
    switch (kind) {
      case 0: to[at] = numpy::sin(from[kSize - 1 - at]) + x; break;
      case 1: to[ellipsis] *= 0.5f * numpy::cos(from.get()); break;
      case 2: to(range(1, 3)).addupdate(from(range(2)) * x); break;
      case 3: to.set(from.swap(to.get() * 0.25f)); break;
      case 4: jit([&](Array own) { body(own); })(0.5f * x); break;
      case 5: lax::fori_loop(0, 2, [&](Array i, std::tuple<>) { body(x * (0.5f + i)); }, std::tuple()); break;
      case 6: lax::cond(from[at] > 0.1f, [&] { body(x); }, [&] { body(-x, 1); }); break;
      case 7: {
        const auto step = [&](Array carry, Ref row) {
          row[ellipsis] += 0.25f * carry;
          body(row.get());
          return std::pair(carry + row.get(), std::nullopt);
        };
        const Ref rows = new_ref(from.get());
        to[at] = lax::scan(step, x, rows).first;
        to[ellipsis] += rows.get();
        break;
      }
      case 8:
        jit([&](Ref own, Array own_x) {
          own[at] += own_x;
          std::vector<Ref> all;
          for (const Ref& r : refs) all.push_back(r.leaf().handle() == to.leaf().handle() ? own : r);
          std::mt19937 next(own_seed);
          block(next, all, own_x, depth - 1);
        })(to, x);
        break;
      case 9: {
        std::vector<Ref> all = refs;
        all[pick(random, all.size())] = new_ref(0.5f * from.get());
        std::mt19937 next(own_seed);
        block(next, all, x, depth - 1);
        to.set(all[0].get());
        break;
      }
      default:
        lax::switch_(numpy::asarray(at),
                     std::tuple([&](Array y) { return body(y), y; }, [](Array y) { return y; },
                                [&](Array y) { return body(y, 2), 2.0f * y; }),
                     x);
    }
  }

  unsigned seed_;
};

/// Returns the final values of two refs of which the first begins as a function of x.
Array finals(const Program& program, const Array& x) {
  const Array start = numpy::array({0.5f, -0.25f, 1.0f});
  const std::vector<Ref> refs = {new_ref(start * x), new_ref(start)};
  program.run(refs, x);
  return numpy::concatenate({refs[0].get(), refs[1].get()});
}

void expect_close(const Array& got, const Array& expected, unsigned seed, const char* what) {
  EXPECT_TRUE(numpy::allclose(got, expected, {.rtol = 1e-4, .atol = 1e-5}).item<bool>())
      << "seed " << seed << " " << what << "\ngot      " << got << "\nexpected " << expected;
}

TEST(RefRandom, TracedProgramsEqualPlainOnes) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Program program(seed);
    const auto f = [&](Array x) { return finals(program, x); };
    const Array at = numpy::asarray(0.7f);
    const auto plain = [&](const auto& g, const Array& x) {
      const auto off = disable_jit();
      return Array(g(x));
    };
    const Array expected = plain(f, at);
    expect_close(f(at), expected, seed, "eager");
    expect_close(jit(f)(at), expected, seed, "jit");
    const auto weighted = [&](Array x) { return numpy::dot(f(x), numpy::arange(2 * kSize) - 2.5f); };
    const Array slope = plain(grad(weighted), at);
    expect_close(grad(weighted)(at), slope, seed, "grad");
    expect_close(jit(grad(weighted))(at), slope, seed, "jit of grad");
    expect_close(grad(jit(weighted))(at), slope, seed, "grad of jit");
    expect_close(jvp(weighted, {at}, {numpy::ones_like(at)}).second, slope, seed, "jvp");
    const Array both = numpy::array({0.7f, -0.4f});
    const Array rows = numpy::stack({expected, plain(f, both[1])});
    expect_close(vmap(f)(both), rows, seed, "vmap");
    expect_close(vmap(jit(f))(both), rows, seed, "vmap of jit");
    expect_close(vmap(grad(weighted))(both)[0], slope, seed, "vmap of grad");
  }
}

TEST(RefRandom, RefsOutsideOfThePrograms) {
  for (unsigned seed = 100; seed < 120; ++seed) {
    const Program program(seed);
    const auto run = [&](bool traced, bool captures) {
      const std::vector<Ref> refs = {new_ref(numpy::array({0.5f, -0.25f, 1.0f})), new_ref(numpy::ones({kSize}))};
      const auto off = disable_jit(!traced);
      const auto captured = jit([&](Array x) { program.run(refs, x); });
      const auto passed = jit([&](const std::vector<Ref>& own, Array x) { program.run(own, x); });
      for (const float x : {0.3f, -0.6f}) captures ? void(captured(x)) : void(passed(refs, x));
      return numpy::concatenate({refs[0].get(), refs[1].get()});
    };
    const Array expected = run(false, true);
    expect_close(run(true, true), expected, seed, "captured");
    expect_close(run(true, false), expected, seed, "passed");
  }
}

}  // namespace
}  // namespace hilo
