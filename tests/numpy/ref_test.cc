// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/ref.h"

#include <gtest/gtest.h>

#include <sstream>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "hilo/tree/functions.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;

Floats floats(const Array& x) { return x.to_vector<float>(); }
Floats floats(const Ref& r) { return floats(r.get()); }

// Read and write, without transformations.

TEST(Ref, ReadsAndWritesAllElements) {
  const Ref r = new_ref(numpy::array({1.0f, 2.0f}));
  EXPECT_EQ(floats(r[ellipsis]), (Floats{1, 2}));
  r[ellipsis] = numpy::array({3.0f, 4.0f});
  EXPECT_EQ(floats(r), (Floats{3, 4}));
  r.set(numpy::array({5.0f, 6.0f}));
  EXPECT_EQ(floats(r.swap(numpy::zeros({2}))), (Floats{5, 6}));
  r.addupdate(numpy::array({1.0f, 7.0f}));
  EXPECT_EQ(floats(r), (Floats{1, 7}));
}

TEST(Ref, ReadsAndWritesByIndices) {
  const Ref r = new_ref(numpy::arange(12).reshape({3, 4}));
  r[1] = r[0];
  EXPECT_EQ(Array(r[1]).to_vector<int>(), (Ints{0, 1, 2, 3}));
  r(2, 3) = r(1, 2);
  EXPECT_EQ(r(2, 3).item<int>(), 2);
  r(0, range(3)) = r(all, 1);
  EXPECT_EQ(Array(r[0]).to_vector<int>(), (Ints{1, 1, 9, 3}));
  r(numpy::array({1, 2}), numpy::array({0, 0})) = numpy::array({-1, -2});
  EXPECT_EQ(Array(r(all, 0)).to_vector<int>(), (Ints{1, -1, -2}));
  EXPECT_EQ(r[newaxis].shape(), (std::vector<int64_t>{1, 3, 4}));
  r(range(none, none, 2), -1) = numpy::array({50, 60});
  EXPECT_EQ(Array(r(all, 3)).to_vector<int>(), (Ints{50, 3, 60}));
}

TEST(Ref, FunctionsHaveTheNamesOfJax) {
  const Ref r = new_ref(numpy::arange(5));
  EXPECT_EQ(ref::swap(r, 3, 10).item<int>(), 3);
  EXPECT_EQ(ref::get(r, range(2, 4)).to_vector<int>(), (Ints{2, 10}));
  ref::set(r, {0}, 9);
  ref::addupdate(r, ellipsis, numpy::ones({5}, int32));
  EXPECT_EQ(r.get().to_vector<int>(), (Ints{10, 2, 3, 11, 5}));
}

TEST(Ref, RepeatedIndicesAddInAddupdateOnly) {
  const Array twice = numpy::array({1, 1});
  const Ref r = new_ref(numpy::zeros({3}));
  r[twice] += 1.0f;
  EXPECT_EQ(floats(r), (Floats{0, 1, 0}));
  r[twice].addupdate(numpy::ones({2}));
  EXPECT_EQ(floats(r), (Floats{0, 3, 0}));
}

TEST(Ref, OperatorsOfAssignment) {
  const Ref r = new_ref(numpy::array({1.0f, 2.0f, 4.0f}));
  r[0] += 1.0f;
  r[1] -= 1.0f;
  r[2] *= 3.0f;
  r[ellipsis] /= 2.0f;
  EXPECT_EQ(floats(r), (Floats{1, 0.5f, 6}));
}

TEST(Ref, WhatWasReadDoesNotChange) {
  const Ref r = new_ref(numpy::zeros({2}));
  const auto before = r[ellipsis];
  const Array copy = r.get();
  r[ellipsis] += 1.0f;
  EXPECT_EQ(floats(before), (Floats{0, 0}));
  EXPECT_EQ(floats(copy), (Floats{0, 0}));
}

TEST(Ref, CopiesReferToOneArray) {
  const Ref a = new_ref(0.0f);
  const Ref b = a;
  b.set(3.0f);
  EXPECT_EQ(a.get().item(), 3);
}

TEST(Ref, HasShapeTypeAndText) {
  const Ref r = new_ref(numpy::zeros({2, 3}));
  EXPECT_EQ(r.ndim(), 2);
  EXPECT_EQ(r.size(), 6);
  EXPECT_EQ(r.shape(1), 3);
  EXPECT_EQ(r.dtype(), ElementType::kF32);
  std::ostringstream text;
  text << new_ref(numpy::array({0.0f, 2.0f}));
  EXPECT_EQ(text.str(), "Ref([0. 2.])");
}

TEST(Ref, NumbersTakeTheTypeOfTheRef) {
  const Ref half = new_ref(numpy::zeros({1}, numpy::bfloat16));
  half[ellipsis] += 1.0f;
  EXPECT_EQ(half.dtype(), ElementType::kBf16);
  EXPECT_EQ(half.get().item(), 1);
  const Ref from_number = new_ref(2);
  EXPECT_FALSE(from_number.get().weak_type());
}

TEST(Ref, KeepsShapeAndType) {
  const Ref r = new_ref(numpy::array({1, 2, 3}));
  const std::string type = error_of([&] { r[0] = 2.5f; }, StatusCode::kInvalidArgument);
  EXPECT_HAS(type, "set (");
  EXPECT_HAS(type, "got f32[], wanted s32[]");
  EXPECT_HAS(type, "astype");
  EXPECT_HAS(error_of([&] { r[ellipsis] = 1; }, StatusCode::kInvalidArgument), "got s32[], wanted s32[3]");
  EXPECT_HAS(error_of([&] { r[ellipsis] += 1.0f; }, StatusCode::kInvalidArgument), "got f32[3], wanted s32[3]");
  EXPECT_HAS(error_of([&] { r.addupdate(1); }, StatusCode::kInvalidArgument), "addupdate (");
  error_of([&] { r[7] = 1; }, StatusCode::kOutOfRange);
  EXPECT_EQ(r.get().to_vector<int>(), (Ints{1, 2, 3}));
}

TEST(Ref, FreezeReturnsTheValueAndEndsTheRef) {
  const Ref r = new_ref(1.0f);
  r[ellipsis] += 1.0f;
  EXPECT_EQ(freeze(r).item(), 2);
  EXPECT_HAS(error_of([&] { r.get(); }, StatusCode::kFailedPrecondition), "was frozen at");
  EXPECT_HAS(error_of([&] { r.set(1.0f); }, StatusCode::kFailedPrecondition), "created at");
  error_of([&] { freeze(r); }, StatusCode::kFailedPrecondition);
}

TEST(Ref, EmptyAndFree) {
  const Ref r = empty_ref(ShapeDtypeStruct({2}, float32));
  EXPECT_EQ(floats(r), (Floats{0, 0}));
  r[1] = 4.0f;
  EXPECT_EQ(floats(r), (Floats{0, 4}));
  free_ref(r);
  EXPECT_HAS(error_of([&] { r.get(); }, StatusCode::kFailedPrecondition), "was freed");
  error_of([&] { free_ref(r); }, StatusCode::kFailedPrecondition);
}

TEST(Ref, IsNoArrayForOperations) {
  const Ref r = new_ref(numpy::ones({2}));
  const auto twice = [](const Array& x) { return x * 2.0f; };
  const std::string error = error_of([&] { tree_map(twice, r); }, StatusCode::kInvalidArgument);
  EXPECT_HAS(error, "got a ref of f32[2], created at");
  EXPECT_HAS(error, "ref.get()");
}

// jit.

TEST(RefJit, WritesAreSeenAfterTheCall) {
  const Ref r = new_ref(numpy::zeros({3}));
  const auto f = jit([&] {
    r[ellipsis] += 1.0f;
    r[0] += 1.0f;
    r[1] += 5.0f;
  });
  f();
  EXPECT_EQ(floats(r), (Floats{2, 6, 1}));
  f();
  EXPECT_EQ(floats(r), (Floats{4, 12, 2}));
  EXPECT_EQ(f.cache_size(), 1u);
}

TEST(RefJit, SeesWritesBetweenCalls) {
  const Ref r = new_ref(1.0f);
  const auto f = jit([r](Array x) { return x * r.get(); });
  EXPECT_EQ(f(2.0f).item(), 2);
  r.set(5.0f);
  EXPECT_EQ(f(2.0f).item(), 10);
  EXPECT_EQ(f.cache_size(), 1u);
}

TEST(RefJit, TakesRefsAsArguments) {
  const auto f = jit([](Ref a, Array y, Ref b, Array w) {
    a[ellipsis] += 1.0f;
    b[ellipsis] += 1.0f;
    return std::pair(a.get() + y + b.get() + w, y + w);
  });
  for (int i = 1; i <= 2; ++i) {  // the second pair of refs runs the same program
    const Ref a = new_ref(numpy::zeros({1, 3})), b = new_ref(numpy::zeros({2, 3}));
    const auto [one, two] = f(a, numpy::ones({2, 3}), b, numpy::ones({2, 1}));
    EXPECT_EQ(floats(one), Floats(6, 4));
    EXPECT_EQ(floats(two), Floats(6, 2));
    EXPECT_EQ(floats(a), Floats(3, 1));
    EXPECT_EQ(floats(b), Floats(6, 1));
  }
  EXPECT_EQ(f.cache_size(), 1u);
}

struct Counters {
  Ref steps;
  std::vector<Ref> sums;
};

TEST(RefJit, TakesTreesOfRefs) {
  const Counters c{new_ref(0), {new_ref(1.0f), new_ref(2.0f)}};
  const auto f = jit([](const Counters& own, Array x) {
    own.steps[ellipsis] += 1;
    own.sums[1].addupdate(x);
    return own.sums[0].get() + x;
  });
  EXPECT_EQ(f(c, numpy::asarray(3.0f)).item(), 4);
  f(c, numpy::asarray(3.0f));
  EXPECT_EQ(c.steps.get().item<int>(), 2);
  EXPECT_EQ(c.sums[1].get().item(), 8);
}

TEST(RefJit, NestedFunctionsShareRefs) {
  const Ref x = new_ref(numpy::zeros({3}));
  const auto inner = jit([x](Ref y, Array z) {
    x[ellipsis] += 1.0f;
    y[2] += 7.0f;
    return z + 9.0f;
  });
  const Ref y = new_ref(numpy::zeros({3}));
  EXPECT_EQ(jit([&](Ref own, Array z) { return inner(own, z); })(y, 1.0f).item(), 10);
  EXPECT_EQ(floats(x), (Floats{1, 1, 1}));
  EXPECT_EQ(floats(y), (Floats{0, 0, 7}));
}

TEST(RefJit, OwnRefsOfAFunction) {
  const auto f = jit([](Array x) {
    const Ref r = new_ref(x);
    const auto twice = jit([&] { r[ellipsis] += r.get(); });
    twice();
    r[0] += 1.0f;
    return freeze(r);
  });
  EXPECT_EQ(floats(f(numpy::array({1.0f, 2.0f}))), (Floats{3, 4}));
  EXPECT_EQ(floats(jit(f)(numpy::array({1.0f, 2.0f}))), (Floats{3, 4}));
}

TEST(RefJit, ReadOnlyRefsAreNotResults) {
  const auto f = jit([](Ref r, Array x) { return r.get() * x; });
  const std::string text = f.hlo_text(new_ref(2.0f), 3.0f);
  EXPECT_HAS(text, "-> f32[] {");
  EXPECT_EQ(f(new_ref(2.0f), 3.0f).item(), 6);
}

TEST(RefJit, LowersAndCompiles) {
  const Ref r = new_ref(1.0f);
  const auto compiled = jit([r](Ref own, Array x) {
                          own.addupdate(x);
                          r[ellipsis] *= 2.0f;
                          return x;
                        })
                            .lower(new_ref(0.0f), numpy::asarray(0.0f))
                            .compile();
  const Ref own = new_ref(10.0f);
  compiled(own, numpy::asarray(5.0f));
  EXPECT_EQ(own.get().item(), 15);
  EXPECT_EQ(r.get().item(), 2);
}

TEST(RefJit, RunsWithoutTracing) {
  const auto off = disable_jit();
  const Ref r = new_ref(0.0f);
  jit([](Ref own) { own[ellipsis] += 1.0f; })(r);
  EXPECT_EQ(r.get().item(), 1);
}

TEST(RefJit, EvalShapeWritesNothing) {
  const Ref r = new_ref(numpy::zeros({2}));
  const auto f = [&](Array x) {
    r[ellipsis] += x;
    return r[0];
  };
  EXPECT_EQ(eval_shape(f, ShapeDtypeStruct({2}, float32)).ndim(), 0);
  EXPECT_EQ(floats(r), (Floats{0, 0}));
}

TEST(RefJit, ReturnsNoRef) {
  const Ref r = new_ref(0.0f);
  const std::string made =
      error_of([] { jit([](Array x) { return new_ref(x); })(1.0f); }, StatusCode::kInvalidArgument);
  EXPECT_HAS(made, "jit (");
  EXPECT_HAS(made, "can't return a ref; got a ref of f32[], created at");
  error_of([&] { jit([](Ref own) { return own; })(r); }, StatusCode::kInvalidArgument);
  error_of([&] { jit([&](Array x) { return std::pair(x, r); })(1.0f); }, StatusCode::kInvalidArgument);
}

TEST(RefJit, RefusesTwoNamesForOneRef) {
  const Ref r = new_ref(0.0f);
  const auto both = jit([](Ref a, Ref b) { return a.get() + b.get(); });
  const std::string twice = error_of([&] { both(r, r); }, StatusCode::kInvalidArgument);
  EXPECT_HAS(twice, "passed only once");
  EXPECT_HAS(twice, "leaves 0 and 1");
  EXPECT_EQ(both(r, new_ref(2.0f)).item(), 2);
  error_of([&] { both(r, r); }, StatusCode::kInvalidArgument);  // also when the program exists
  const auto captures = jit([r](Ref a) { return a.get() + r.get(); });
  EXPECT_HAS(error_of([&] { captures(r); }, StatusCode::kInvalidArgument), "both an argument and captured");
  EXPECT_EQ(captures(new_ref(1.0f)).item(), 1);
  error_of([&] { captures(r); }, StatusCode::kInvalidArgument);
}

TEST(RefJit, FreezesOnlyItsOwnRefs) {
  const Ref r = new_ref(0.0f);
  EXPECT_HAS(error_of([&] { jit([&] { freeze(r); })(); }, StatusCode::kFailedPrecondition),
             "ends in the function that created it");
  error_of([&] { jit([](Ref own) { return freeze(own); })(r); }, StatusCode::kFailedPrecondition);
  error_of([&] { vmap([](Ref own) { free_ref(own); })(new_ref(numpy::zeros({2}))); }, StatusCode::kFailedPrecondition);
}

TEST(RefJit, FrozenRefsAreRefusedAtEachCall) {
  const Ref r = new_ref(0.0f);
  const auto f = jit([r] { r[ellipsis] += 1.0f; });
  f();
  freeze(r);
  error_of([&] { f(); }, StatusCode::kFailedPrecondition);
}

TEST(RefJit, LeakedRefsAreRefused) {
  std::optional<Ref> leaked;
  jit([&](Array x) {
    leaked = new_ref(x);
    return x;
  })(1.0f);
  EXPECT_HAS(error_of([&] { leaked->get(); }, StatusCode::kFailedPrecondition), "leaked ref");
}

TEST(RefJit, OverwritesMemoryThatNothingElseRefersTo) {
  const Ref r = new_ref(numpy::zeros({1000}));
  const auto f = jit([r](Ref own) {
    r[1] += 1.0f;
    own[2] += 1.0f;
  });
  const Array first = r.get();  // the array that new_ref got stays unchanged
  const Ref own = new_ref(first);
  f(own);
  const void* const memory[] = {r.get().data<float>().data(), own.get().data<float>().data()};
  f(own);
  EXPECT_EQ(memory[0], r.get().data<float>().data());
  EXPECT_EQ(memory[1], own.get().data<float>().data());
  const Array kept = r.get();
  const auto view = own.get().data<float>();
  f(own);
  EXPECT_EQ(first[1].item(), 0);
  EXPECT_EQ(kept[1].item(), 2);
  EXPECT_EQ(view[2], 2);
  EXPECT_EQ(Array(r[1]).item(), 3);
  EXPECT_EQ(Array(own[2]).item(), 3);
}

TEST(RefJit, LeakChecksKnowTheRefsOfArguments) {
  const auto scope = checking_leaks();
  const Ref r = new_ref(1.0f), captured = new_ref(1.0f);
  jit([captured](Ref own) {
    own[ellipsis] += 1.0f;
    captured.set(own.get());
  })(r);
  EXPECT_EQ(captured.get().item(), 2);
}

TEST(RefJit, FailedCallsWriteNothing) {
  const Ref r = new_ref(1.0f);
  EXPECT_ANY_THROW(jit([&] {
    r[ellipsis] += 1.0f;
    throw std::runtime_error("stop");
  })());
  EXPECT_EQ(r.get().item(), 1);
}

// Control flow.

TEST(RefScan, CapturedRefsAreCarried) {
  for (const bool jits : {false, true}) {
    const Ref r = new_ref(0), untouched = new_ref(7);
    const auto step = [&](std::nullopt_t none, Array x) {
      r[ellipsis] += 2 * x;
      return std::pair(none, r.get() + untouched.get());
    };
    const auto run = [&](Array xs) { return lax::scan(step, std::nullopt, xs).second; };
    const Array ys = jits ? jit(run)(numpy::arange(4)) : run(numpy::arange(4));
    EXPECT_EQ(ys.to_vector<int>(), (Ints{7, 9, 13, 19}));
    EXPECT_EQ(r.get().item<int>(), 12);
    EXPECT_EQ(untouched.get().item<int>(), 7);
  }
}

TEST(RefScan, KeepsItsOwnCarry) {
  const Ref count = new_ref(0), last = new_ref(0.0f);
  const Array scale = numpy::array({2.0f, 3.0f});
  const auto step = [&](std::pair<Array, Array> carry, Array x) {
    count[ellipsis] += 1;
    last.set(x);
    return std::pair(std::pair(carry.first + x, carry.second * scale), std::pair(x, carry.first));
  };
  const auto [carry, ys] = lax::scan(step, std::pair(Array(0.0f), numpy::ones({2})), numpy::array({1.0f, 2.0f, 3.0f}));
  EXPECT_EQ(carry.first.item(), 6);
  EXPECT_EQ(floats(carry.second), (Floats{8, 27}));
  EXPECT_EQ(floats(ys.second), (Floats{0, 1, 3}));
  EXPECT_EQ(count.get().item<int>(), 3);
  EXPECT_EQ(last.get().item(), 3);
}

TEST(RefScan, OwnRefsOfAStep) {
  const auto step = [](std::nullopt_t none, Array x) {
    const Ref r = new_ref(x);
    r[ellipsis] += 2;
    return std::pair(none, r.get());
  };
  EXPECT_EQ(lax::scan(step, std::nullopt, numpy::arange(3)).second.to_vector<int>(), (Ints{2, 3, 4}));
}

TEST(RefScan, StepsGetRowsOfRefs) {
  const Ref rows = new_ref(numpy::arange(6).reshape({3, 2}));
  const auto step = [](std::nullopt_t none, std::pair<Array, Ref> x) {
    x.second[0] += x.first;
    return std::pair(none, x.second.get());
  };
  for (const int64_t unroll : {1, 2}) {
    const Array ys = lax::scan(step, std::nullopt, std::pair(numpy::array({10, 20, 30}), rows),
                               lax::ScanOptions{.reverse = unroll == 2, .unroll = unroll})
                         .second;
    EXPECT_EQ(ys.to_vector<int>(), rows.get().to_vector<int>());
  }
  EXPECT_EQ(rows.get().to_vector<int>(), (Ints{20, 1, 42, 3, 64, 5}));
}

TEST(RefScan, UnrolledAndReversedSteps) {
  const Ref text = new_ref(0);
  const auto step = [&](std::nullopt_t none, Array x) {
    text.set(text.get() * 10 + x);
    return std::pair(none, none);
  };
  lax::scan(step, std::nullopt, numpy::array({1, 2, 3, 4, 5}), lax::ScanOptions{.unroll = 2});
  EXPECT_EQ(text.get().item<int>(), 12345);
  text.set(0);
  lax::scan(step, std::nullopt, numpy::array({1, 2, 3}), lax::ScanOptions{.reverse = true});
  EXPECT_EQ(text.get().item<int>(), 321);
}

TEST(RefScan, LoopsInLoops) {
  const Ref table = new_ref(numpy::zeros({2, 3}));
  lax::fori_loop(
      0, 2,
      [&](Array i, Array n) {
        return lax::fori_loop(
            0, 3,
            [&](Array j, Array m) {
              table(i, j) = (10 * i + j).astype(float32);
              return m + 1;
            },
            n);
      },
      0);
  EXPECT_EQ(floats(table), (Floats{0, 1, 2, 10, 11, 12}));
}

TEST(RefScan, CarriesAreNoRefs) {
  const Ref r = new_ref(0.0f);
  const auto step = [](Ref carry, Array x) { return std::pair(carry, x); };
  EXPECT_HAS(error_of([&] { lax::scan(step, r, numpy::arange(3)); }, StatusCode::kInvalidArgument), "can't be a ref");
  const auto returns = [](std::nullopt_t none, Array x) { return std::pair(none, new_ref(x)); };
  EXPECT_HAS(error_of([&] { lax::scan(returns, std::nullopt, numpy::arange(3)); }, StatusCode::kInvalidArgument),
             "can't return a ref");
}

TEST(RefWhile, BodyAndConditionSeeTheWrites) {
  const Ref r = new_ref(0), limit = new_ref(5);
  const Array n = lax::while_loop([&](Array) { return r.get() < limit.get(); },
                                  [&](Array i) {
                                    r[ellipsis] += 2;
                                    return i + 1;
                                  },
                                  Array(0));
  EXPECT_EQ(n.item<int>(), 3);
  EXPECT_EQ(r.get().item<int>(), 6);
  const auto counts = jit([&](Array until) {
    const Ref own = new_ref(0);
    lax::while_loop([&](Array i) { return i < until; },
                    [&](Array i) {
                      own[ellipsis] += i;
                      return i + 1;
                    },
                    Array(0));
    return own.get();
  });
  EXPECT_EQ(counts(5).item<int>(), 10);
}

TEST(RefWhile, ConditionsDoNotWrite) {
  const Ref r = new_ref(0);
  const auto condition = [&](Array i) {
    r[ellipsis] += 1;
    return i < 3;
  };
  EXPECT_HAS(error_of([&] { lax::while_loop(condition, [](Array i) { return i + 1; }, Array(0)); },
                      StatusCode::kInvalidArgument),
             "write to the ref in the body");
}

TEST(RefCond, BranchesWriteDifferentRefs) {
  const Ref a = new_ref(1.0f), b = new_ref(numpy::zeros({2}));
  const auto choose = [&](Array p) {
    return lax::cond(
        p,
        [&](Array x) {
          a.set(x);
          return x;
        },
        [&](Array x) {
          b[1] += a.get() + x;
          return -x;
        },
        numpy::asarray(5.0f));
  };
  EXPECT_EQ(choose(false).item(), -5);
  EXPECT_EQ(a.get().item(), 1);
  EXPECT_EQ(floats(b), (Floats{0, 6}));
  EXPECT_EQ(jit(choose)(true).item(), 5);
  EXPECT_EQ(a.get().item(), 5);
  EXPECT_EQ(floats(b), (Floats{0, 6}));
}

TEST(RefCond, BranchesThatReturnNothing) {
  const Ref r = new_ref(0.0f);
  const auto f = jit([r](Array p) { lax::cond(p, [&] { r.set(1.0f); }, [&] { r.set(2.0f); }); });
  f(true);
  EXPECT_EQ(r.get().item(), 1);
  f(false);
  EXPECT_EQ(r.get().item(), 2);
}

TEST(RefCond, RefsAsOperands) {
  const Ref r = new_ref(0.0f), other = new_ref(8.0f);
  const auto add = [](Ref own, Ref) { own[ellipsis] += 1.0f; };
  const auto copy = [](Ref own, Ref from) { own.set(from.get()); };
  lax::cond(true, add, copy, r, other);
  EXPECT_EQ(r.get().item(), 1);
  lax::cond(numpy::array({0.0f}).sum() > 1, add, copy, r, other);
  EXPECT_EQ(r.get().item(), 8);
  error_of([&] { lax::cond(true, add, copy, r, r); }, StatusCode::kInvalidArgument);
  const auto captures = [&](Ref own) { own.set(r.get()); };
  EXPECT_HAS(error_of([&] { lax::cond(true, captures, captures, r); }, StatusCode::kInvalidArgument),
             "both an argument and captured");
  const auto makes = [] { return new_ref(1.0f); };
  EXPECT_HAS(error_of([&] { lax::cond(true, makes, makes); }, StatusCode::kInvalidArgument), "can't return a ref");
}

TEST(RefCond, SwitchWritesOneRef) {
  const Ref r = new_ref(0);
  const auto f = jit([r](Array i) {
    const auto one = [&](Array x) { return r.set(1), x; };
    const auto two = [&](Array x) { return x; };
    const auto three = [&](Array x) { return r.set(3), -x; };
    return lax::switch_(i, std::tuple(one, two, three), 5);
  });
  EXPECT_EQ(f(1).item<int>(), 5);
  EXPECT_EQ(r.get().item<int>(), 0);
  EXPECT_EQ(f(2).item<int>(), -5);
  EXPECT_EQ(r.get().item<int>(), 3);
}

// vmap.

TEST(RefVmap, OwnRefsAreBatched) {
  const auto square = [](Array x) {
    const Ref r = new_ref(x);
    r[ellipsis] *= r.get();
    return r.get();
  };
  EXPECT_EQ(floats(vmap(square)(numpy::arange(4.0f))), (Floats{0, 1, 4, 9}));
  const auto adds = [](Array x) {
    const Ref r = new_ref(1.0f);
    r[ellipsis] += x;
    return r.get();
  };
  EXPECT_EQ(floats(vmap(jit(adds))(numpy::arange(3.0f))), (Floats{1, 2, 3}));
}

TEST(RefVmap, RefsAsMappedArguments) {
  const Ref sums = new_ref(numpy::zeros({3}, int32));
  const auto f = [](Ref r, Array x) {
    r[ellipsis] += x;
    r[ellipsis] += x;
  };
  vmap(f)(sums, numpy::arange(3));
  EXPECT_EQ(sums.get().to_vector<int>(), (Ints{0, 2, 4}));
  const Ref columns = new_ref(numpy::zeros({2, 3}));
  vmap([](Ref r, Array x) { r.set(x); }, {.in_axes = {1, 0}})(columns, numpy::arange(6.0f).reshape({3, 2}));
  EXPECT_EQ(floats(columns), (Floats{0, 2, 4, 1, 3, 5}));
}

TEST(RefVmap, DistancesOfAllPairs) {
  const auto distance = [](Array x, Array y, Ref out) { out.set(numpy::sum((x - y) * (x - y))); };
  const Array points = numpy::arange(12.0f).reshape({3, 4});
  const Ref out = new_ref(numpy::zeros({3, 3}));
  vmap(vmap(distance, {.in_axes = {0, kNoAxis, 0}}), {.in_axes = {kNoAxis, 0, 0}})(points, points, out);
  EXPECT_EQ(floats(out), (Floats{0, 64, 256, 64, 0, 64, 256, 64, 0}));
}

TEST(RefVmap, CapturedRefsAreReadOnly) {
  const Ref shared = new_ref(1), rows = new_ref(numpy::zeros({3}, int32));
  vmap([&](Ref r) { r[ellipsis] += shared.get(); })(rows);
  EXPECT_EQ(rows.get().to_vector<int>(), (Ints{1, 1, 1}));
  const std::string error =
      error_of([&] { vmap([&](Array x) { shared[ellipsis] += x; })(numpy::arange(3)); }, StatusCode::kInvalidArgument);
  EXPECT_HAS(error, "isn't batched; got a ref of s32[]");
  EXPECT_HAS(error, "mapped axis");
  const auto constant = [&](Array x) { return shared.set(2), x; };
  error_of([&] { vmap(constant)(numpy::arange(3)); }, StatusCode::kInvalidArgument);
  error_of([&] { vmap(jit(constant))(numpy::arange(3)); }, StatusCode::kInvalidArgument);
  const auto passed = [](Array x, Ref r) { return r.set(x), x; };
  error_of([&] { vmap(passed, {.in_axes = {0, kNoAxis}})(numpy::arange(3), shared); }, StatusCode::kInvalidArgument);
  error_of([&] { vmap([](Ref a, Ref b) { a.set(b.get()); })(rows, rows); }, StatusCode::kInvalidArgument);
}

TEST(RefVmap, LoopsWithBatchedRefs) {
  const auto f = [](Array x) {
    const Ref r = new_ref(0.0f);
    lax::fori_loop(0, 3, [&](Array, std::tuple<>) { r[ellipsis] += x; }, std::tuple());
    lax::cond(x > 1, [&] { r[ellipsis] *= -1.0f; }, [] { return std::tuple(); });
    return r.get();
  };
  EXPECT_EQ(floats(vmap(f)(numpy::arange(3.0f))), (Floats{0, 3, -6}));
}

// Other transformations see the values of captured refs; what they would write has no place.

TEST(Ref, CheckpointReadsRefs) {
  const Ref r = new_ref(3.0f);
  const auto f = checkpoint([](Array x, Ref own) { return x * own.get(); });
  EXPECT_EQ(f(2.0f, r).item(), 6);
  EXPECT_EQ(jit(f)(2.0f, r).item(), 6);
  const auto writes = checkpoint([&](Array x) { return r.set(x), x; });
  EXPECT_HAS(error_of([&] { jit(writes)(2.0f); }, StatusCode::kFailedPrecondition), "checkpoint can't write to a ref");
}

}  // namespace
}  // namespace hilo
