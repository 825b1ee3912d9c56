// SPDX-License-Identifier: Apache-2.0
// jit, vmap, and tracers stored beyond their scope: cases of JAX's api_test. Expected numbers are computed by hand, or
// by JAX if a comment says so.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "hilo/array/device_put.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/log.h"
#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/trace/named_scope.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/linear_transpose.h"
#include "hilo/transform/pmap.h"
#include "hilo/transform/vmap.h"
#include "hilo/tree/device_put.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;
using One = std::tuple<Array>;
using Floats = std::vector<float>;
using Ints = std::vector<int>;
using Complex = std::complex<float>;

Array same(const Array& x) { return x; }

void expect_near(const Array& got, const Array& wanted, double tolerance = 1e-6) {
  ASSERT_EQ(got.size(), wanted.size());
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i])));
}

// ---- jit
// -------------------------------------------------------------------------------------------------------------

TEST(Jit, StaticArgumentsCompareByValueAndType) {
  int traces = 0;
  const auto f = jit<0>([&](const auto& k, const Array& x) {
    ++traces;
    return x * static_cast<float>(k);
  });
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_EQ(f(1, 2.0f).template item<float>(), 2);
    EXPECT_EQ(f(true, 2.0f).template item<float>(), 2);
    EXPECT_EQ(f(1.0, 2.0f).template item<float>(), 2);
  }
  EXPECT_EQ(traces, 3);
  int flagged = 0;
  const auto g = jit([&](const Array& x, const Array& y, const Array& z, bool flag, bool other) {
    ++flagged;
    return flag ? 100 * x + 10 * y + z : (other ? x : y);
  });
  EXPECT_EQ(g(1, 2, 3, true, false).item<int>(), 123);
  EXPECT_EQ(g(2, 1, 3, true, false).item<int>(), 213);
  EXPECT_EQ(flagged, 1);
  EXPECT_EQ(g(2, 1, 3, true, true).item<int>(), 213);
  EXPECT_EQ(flagged, 2);
}

TEST(Jit, TakesComplexNumbersAndManyArguments) {
  EXPECT_EQ(jit([](Array x) { return x + 1; })(Complex(1, 1)).item<Complex>(), Complex(2, 1));
  const auto sum = jit([](std::vector<Array> all) {
    Array s = 0;
    for (const Array& a : all) s = s + a;
    return s;
  });
  std::vector<Array> many;
  for (int i = 0; i < 500; ++i) many.push_back(i);
  EXPECT_EQ(sum(many).item<int>(), 499 * 250);
  EXPECT_TRUE(std::isnan(jit([](Array x) { return 1 + x * 0; })(NAN).item<float>()));
  const Array mask = numpy::ones({32}, ElementType::kPred);
  EXPECT_EQ(numpy::sum(mask).item<int>(), 32);
  EXPECT_EQ(jit([](Array m) { return numpy::sum(m); })(mask).item<int>(), 32);
  EXPECT_EQ(jit([&] { return numpy::sum(mask); })().item<int>(), 32);
}

TEST(Jit, OfTheIdentityGivesOtherBuffers) {
  const Array x = numpy::array({1, 2, 3}), y = numpy::array({2, 3});
  const Array out = jit(same)(x);
  EXPECT_EQ(out.to_vector<int>(), (Ints{1, 2, 3}));
  EXPECT_NE(out.data<int32_t>().data(), x.data<int32_t>().data());
  const auto [a, one, b] = jit([](Array p, Array q) { return std::tuple(q, Array(1), p); })(x, y);
  EXPECT_EQ(a.to_vector<int>(), (Ints{2, 3}));
  EXPECT_EQ(one.item<int>(), 1);
  EXPECT_EQ(b.to_vector<int>(), (Ints{1, 2, 3}));
  const auto [c, d] = jit([](Array p) { return Pair(p, p); })(x);
  EXPECT_NE(c.data<int32_t>().data(), d.data<int32_t>().data());
}

TEST(Jit, DonatesWhatItIsTold) {
  const auto move = jit([](Array x) { return x + x - x; }, {.donate_argnums = {0}});
  const Array x = numpy::ones({4});
  EXPECT_EQ(move(x).to_vector<float>(), Floats(4, 1.0f));
  error_of([&] { x.to_vector<float>(); }, StatusCode::kInvalidArgument);
  const auto both = jit([](int a, Array c, Array d) { return Pair(c + a, d + a); }, {.donate_argnums = {1, 2}});
  const Array c = device_put(numpy::array({2.0f, 2.0f})), d = device_put(numpy::ones({4}));
  const auto [e, f] = both(3, c, d);
  EXPECT_EQ(e.to_vector<float>(), (Floats{5, 5}));
  EXPECT_EQ(f.to_vector<float>(), Floats(4, 4.0f));
  error_of([&] { c.to_vector<float>(); }, StatusCode::kInvalidArgument);
  error_of([&] { d.to_vector<float>(); }, StatusCode::kInvalidArgument);
  const Array z = device_put(numpy::zeros({10}));
  error_of([&] { jit([](Array a, Array b) { return a + b; }, {.donate_argnums = {0}})(z, z); },
           StatusCode::kInvalidArgument);
  using Map = std::map<std::string, Array>;
  const Map m{{"c", numpy::ones({3})}}, kept{{"a", numpy::ones({3})}};
  jit([](Map p, Map q) { return Map{{"s", p["c"] + q["a"]}}; }, {.donate_argnums = {0}})(m, kept);
  error_of([&] { m.at("c").to_vector<float>(); }, StatusCode::kInvalidArgument);
  EXPECT_EQ(kept.at("a").to_vector<float>(), Floats(3, 1.0f));
  const Array inner = device_put(numpy::array(3.0f));
  const auto nested = jit([](Array v) { return jit([](Array u) { return u * u; }, {.donate_argnums = {0}})(v); });
  EXPECT_EQ(nested(inner).item<float>(), 9);
  EXPECT_EQ(inner.item<float>(), 3) << "a donation inside of a jit gives nothing away";
  const Array copied = numpy::array({0, 1}), copy = numpy::array(copied);
  jit([](Array a) { return a.at(0).set(77); }, {.donate_argnums = {0}})(copied + 0);
  EXPECT_EQ(copy.to_vector<int>(), (Ints{0, 1}));
  const Array gone = device_put(numpy::zeros({10}));
  jit([](Array a) { return a * 2.0f; }, {.donate_argnums = {0}})(gone);
  error_of([&] { device_put(gone).to_vector<float>(); }, StatusCode::kInvalidArgument);
}

TEST(Jit, ArgumentsThatItDoesNotUseAreNotGivenToTheProgram) {
  const auto parameters = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("parameter("); at != std::string::npos; at = text.find("parameter(", at + 1)) ++count;
    return count;
  };
  const auto second = [](Array, Array y, Array) { return y + 2.0f; };
  const auto pruned = jit(second).lower(1.0f, 2.0f, 3.0f),
             whole = jit(second, {.keep_unused = true}).lower(1.0f, 2.0f, 3.0f);
  EXPECT_EQ(parameters(pruned.as_text("hlo")), 1u) << pruned.as_text("hlo");
  EXPECT_EQ(parameters(whole.as_text("hlo")), 3u);
  EXPECT_EQ(pruned.compile().memory_analysis().argument_size_in_bytes, 4);
  EXPECT_EQ(whole.compile().memory_analysis().argument_size_in_bytes, 12);
  EXPECT_EQ(pruned.compile()(1.0f, 2.0f, 3.0f).item<float>(), 4);
  EXPECT_EQ(whole.compile()(1.0f, 2.0f, 3.0f).item<float>(), 4);
  EXPECT_EQ(jit(second)(1.0f, 2.0f, 3.0f).item<float>(), 4);
  const Array captured = numpy::array({10.0f, 20.0f});
  const auto closes = jit([&](Array, Array y) { return y * captured; });
  EXPECT_EQ(closes(5.0f, 2.0f).to_vector<float>(), (Floats{20, 40}));
  EXPECT_EQ(vmap(closes)(numpy::zeros({3}), numpy::arange(3, float32))[2].to_vector<float>(), (Floats{20, 40}));
  EXPECT_EQ(grad<1>([&](Array x, Array y) { return numpy::sum(closes(x, y)); })(5.0f, 2.0f).item<float>(), 30);
  const Array unused = numpy::ones({3}), used = numpy::ones({3});
  jit([](Array, Array y) { return y + 1.0f; }, {.donate_argnums = {0, 1}})(unused, used);
  EXPECT_EQ(unused.to_vector<float>(), Floats(3, 1.0f)) << "what the program isn't given it can't take";
  error_of([&] { used.to_vector<float>(); }, StatusCode::kInvalidArgument);
  const auto none = jit([](Array) { return numpy::ones({2}); });
  EXPECT_EQ(none(numpy::array({1.0f, 2.0f})).to_vector<float>(), (Floats{1, 1}));
}

TEST(Jit, TracesOnceUnderGradAndInsideOfItself) {
  int traces = 0;
  const auto f = jit([&](Array x) {
    ++traces;
    return x * x;
  });
  EXPECT_EQ(grad(f)(1.0f).item<float>(), 2);
  EXPECT_EQ(grad(f)(2.0f).item<float>(), 4);
  EXPECT_EQ(traces, 1);
  const auto g = jit(grad(f));
  EXPECT_EQ(g(1.0f).item<float>(), 2);
  EXPECT_EQ(g(2.0f).item<float>(), 4);
  EXPECT_EQ(traces, 1);
  int inner = 0, outer = 0;
  const auto doubled = jit([&](Array s) {
    ++inner;
    return 2 * s;
  });
  const auto many = jit([&](Array x) {
    ++outer;
    Array y = x;
    for (int i = 0; i < 10; ++i) y = doubled(y) + x;
    return y;
  });
  const Array state = numpy::arange(5);
  many(state);
  many(state);
  doubled(state);
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 1);
  int hessians = 0;
  const auto h = jit([&](Array x) {
    ++hessians;
    return numpy::mean(numpy::square(x));
  });
  const Array x = numpy::reshape(numpy::arange(8, float32), {4, 2});
  hessian(h)(x);
  const int once = hessians;
  for (int i = 0; i < 3; ++i) hessian(h)(x);
  EXPECT_EQ(hessians, once);
  int linear = 0;
  const auto again = checkpoint(jit([&](Array v) {
    ++linear;
    return 2.0f * v;
  }));
  const auto push = linearize(again, numpy::array(1.0f)).second;
  for (int i = 0; i < 5; ++i) push(numpy::array(1.0f));
  const auto pull = vjp(again, numpy::array(1.0f)).second;
  for (int i = 0; i < 5; ++i) pull(numpy::array(1.0f));
  EXPECT_EQ(linear, 1);
}

TEST(Jit, CachesKnowTheNamedAxesAround) {
  const auto size = [] { return lax::psum(1, "i"); };
  const auto compiled = jit(size);
  const auto over = [](const auto& f, int64_t n) {
    VmapOptions options;
    options.out_axes = {0};
    options.axis_name = "i";
    options.axis_size = n;
    const auto batched = vmap(f, options);
    return batched();
  };
  for (int64_t n : {2, 3}) {
    EXPECT_EQ(over(compiled, n).to_vector<int>(), over(size, n).to_vector<int>());
    EXPECT_EQ(over(compiled, n)[0].item<int>(), n);
  }
  int traces = 0;
  const auto plain = jit([&] {
    ++traces;
    return numpy::sin(1.0f);
  });
  plain();
  const auto batched = vmap([&] { return plain(); }, VmapOptions{.axis_size = 2});
  batched();
  EXPECT_EQ(traces, 1) << "an axis without a name is nobody's business";
}

TEST(Jit, RunsOnManyThreadsAtOnce) {
  const auto f = jit([](Array x) { return x + x - 3.0f; });
  std::vector<Floats> got(10);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 10; ++i) {
    threads.emplace_back([&, i] {
      const auto scope = explain_cache_misses(false);
      got[i] = f(numpy::arange(static_cast<int64_t>(i), float32)).to_vector<float>();
      for (int k = 0; k < 20; ++k)
        got[i] = device_put(Array::from_vector(got[i], {static_cast<int64_t>(i)})).to_vector<float>();
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t i = 0; i < 10; ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_EQ(got[i][k], 2 * static_cast<float>(k) - 3);
  }
}

TEST(Jit, InnerFunctionsHandOnWhatTheyAreGiven) {
  const auto f = [](Array x) {
    return jit([](Array a, Array y) { return Pair(a, numpy::exp(y)); })(Array(0.0f), x).first;
  };
  EXPECT_EQ(grad(f)(1.0f).item<float>(), 0);
  EXPECT_EQ(
      grad([](Array x) { return jit([](Array a, Array b) { return Pair(a, b); })(x, x).first; })(3.0f).item<float>(),
      1);
  const auto scaled = [](Array x) {
    const auto a = jit([&](Array y) { return y * x; })(4.0f), b = jit([&](Array y) { return y * x; })(5.0f);
    return a + b;
  };
  const auto [y, dy] = jvp(scaled, One(5.0f), One(1.0f));
  EXPECT_EQ(y.item<float>(), 45);
  EXPECT_EQ(dy.item<float>(), 9);
  using List = std::vector<Array>;
  for (int handed = 0; handed <= 3; ++handed) {
    const auto g = jit([=](List in) {
      const List x = {in[1], in[2], in[0]};
      List out(x.begin(), x.begin() + handed);
      for (size_t i = static_cast<size_t>(handed); i < 3; ++i)
        out.push_back(i == 1 ? numpy::exp(x[i]) : numpy::sin(x[i]));
      return List{out[2], out[0], out[1]};
    });
    const List at = {0.0f, 1.0f, 2.0f};
    const auto total = [](const auto& h) {
      return [&h](List v) {
        const List y = h(v);
        return y[0] + 2.0f * y[1] + 3.0f * y[2];
      };
    };
    const auto again = checkpoint(g);
    const List a = grad(total(g))(at), b = grad(total(again))(at);
    const Floats order = {2, 3, 1};  // weights of out[0], out[1], out[2]
    const float values[3] = {1, 2, 0};
    for (size_t i = 0; i < 3; ++i) {
      const float slope = static_cast<int>(i) < handed ? 1 : i == 1 ? std::exp(values[i]) : std::cos(values[i]);
      EXPECT_NEAR(a[(i + 1) % 3].item<float>(), order[i] * slope, 1e-5) << handed << " " << i;
      EXPECT_NEAR(b[(i + 1) % 3].item<float>(), order[i] * slope, 1e-5);
    }
  }
}

TEST(Jit, WorksOnEveryNarrowType) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBf16, ElementType::kF8E4M3Fn, ElementType::kF8E5M2,
                                 ElementType::kS8, ElementType::kU16, ElementType::kS4}) {
    const Array one = numpy::ones({}, type);
    EXPECT_EQ(jit([](Array x) { return x + 1; })(one).item<float>(), 2);
    EXPECT_EQ(jit([](Array x) { return x + 1; })(one).dtype(), type);
  }
}

TEST(Jit, TakesLargeArraysAndConstants) {
  EXPECT_EQ(numpy::sum(jit([](Array x) { return 2 * x; })(numpy::ones({2000000}))).item<float>(), 4e6f);
  const Array rows = random::uniform(random::key(0), {13, 111, 3});
  const auto shifted = jit([](Array x, Array by) { return x + numpy::astype(by, x.dtype()); });
  expect_near(shifted(rows, 0.25f)[3], rows[3] + 0.25f);
  const Array k = numpy::array({7.0f, 14.0f});
  const std::string text =
      jit([&](Array x) { return x + k + k; }).lower(numpy::array({1.0f, 2.0f})).compile().as_text();
  size_t constants = 0;
  for (size_t at = text.find("constant({7"); at != std::string::npos; at = text.find("constant({7", at + 1))
    ++constants;
  EXPECT_LE(constants, 1u) << text;
  const Array big = random::uniform(random::key(0), {100});
  EXPECT_FALSE(has(jit([&] { return jit([&] { return big + 1.0f; })(); }).lower().as_text(), "tensor<100xf32> dense"));
}

TEST(DisableJit, RunsTheFunctionEachTime) {
  int calls = 0;
  const auto f = jit([&](Array x) {
    ++calls;
    return x + 1.0f;
  });
  {
    const auto scope = disable_jit();
    f(2.0f);
    f(2.0f);
  }
  EXPECT_EQ(calls, 2);
  f(2.0f);
  f(2.0f);
  EXPECT_EQ(calls, 3);
}

// ---- vmap
// ------------------------------------------------------------------------------------------------------------

TEST(Vmap, AxesFollowTheTree) {
  const Array x = numpy::ones({6, 2, 3}), y = numpy::ones({3, 6, 4}), z = numpy::ones({4, 5, 6});
  using Tree = std::pair<Array, Pair>;
  const auto f = [](Tree t) { return numpy::matmul(t.first, numpy::matmul(t.second.first, t.second.second)); };
  EXPECT_EQ(
      vmap(f, VmapOptions{.in_axes = {std::pair(0, std::pair(1, 2))}})(Tree(x, Pair(y, z))).aval_shape().to_string(),
      "f32[6,2,5]");
  using Map = std::map<std::string, Array>;
  const auto of_map = [](Map m, Array a, Array b) { return m["a"] + m["b"] + a + b; };
  const Array out = vmap(of_map, VmapOptions{.in_axes = {kNoAxis, 0, 0}})(Map{{"a", 5.0f}, {"b", numpy::ones({2})}},
                                                                          numpy::zeros({3}), numpy::arange(3, float32));
  EXPECT_EQ(out[2].to_vector<float>(), (Floats{8, 8}));
  const Array last = vmap([](Array) { return numpy::zeros({2}); }, VmapOptions{.out_axes = {-1}})(numpy::zeros({5}));
  EXPECT_EQ(last.aval_shape().to_string(), "f32[2,5]");
  EXPECT_EQ(vmap(same, VmapOptions{.in_axes = {kNoAxis}, .axis_size = 1})(1.0f).aval_shape().to_string(), "f32[1]");
  const auto spread = [](Array v) { return v - lax::pmean(v, "i"); };
  EXPECT_EQ(vmap(spread, VmapOptions{.axis_name = "i"})(numpy::arange(3, float32)).to_vector<float>(),
            (Floats{-1, 0, 1}));
}

TEST(Vmap, TakesAnAxisOfAMesh) {  // tests/mesh/sharded_program_test.cc tests its effect on constraints
  const auto f = vmap(same, VmapOptions{.spmd_axis_name = "devices"});
  EXPECT_EQ(f(numpy::arange(3, float32)).to_vector<float>(), (Floats{0, 1, 2}));
}

TEST(Vmap, SaysWhichSizesDiffer) {
  const auto text = [](const std::function<void()>& f) { return error_of(f, StatusCode::kInvalidArgument); };
  const auto add = [](Array a, Array b) { return a + b; };
  const std::string sizes = text([&] { vmap(add)(numpy::ones({2}), numpy::ones({3})); });
  EXPECT_TRUE(has(sizes, "2") && has(sizes, "3")) << sizes;
  EXPECT_TRUE(has(text([&] { vmap(same, VmapOptions{.in_axes = {0}, .axis_size = 2})(numpy::arange(8)); }), "8"));
  EXPECT_TRUE(
      has(text([&] { vmap(same, VmapOptions{.in_axes = {0}, .axis_size = 1})(1.0f); }), "axis 0 is out of range"));
  EXPECT_TRUE(has(text([&] { vmap(same, VmapOptions{.in_axes = {1}})(numpy::array({1.0f, 2.0f})); }),
                  "axis 1 is out of range"));
  EXPECT_TRUE(has(text([&] { vmap(same, VmapOptions{.in_axes = {std::pair(0, 0)}})(numpy::ones({3})); }),
                  "axes must be a prefix of the tree"));
  EXPECT_TRUE(
      has(text([&] { vmap(same, VmapOptions{.in_axes = {0}, .out_axes = {2, 3}})(numpy::ones({2})); }), "out_axes"));
  EXPECT_TRUE(has(text([&] { vmap([](std::vector<Array> v) { return v; })(std::vector<Array>()); }), "vmap ("));
  EXPECT_EQ(grad([](Array x) { return x * x; })(3.0f).item<float>(), 6) << "no trace is left behind";
}

TEST(EvalShape, TakesTreesAndGivesThem) {
  using Map = std::map<std::string, Array>;
  const auto f = [](Pair x, Array y) { return Map{{"hi", x.first + x.second + y}}; };
  EXPECT_EQ(eval_shape(f, Pair(numpy::ones({2}), numpy::ones({2})), 3.0f).at("hi").aval_shape().to_string(), "f32[2]");
  const auto constant = [] { return numpy::tanh(numpy::matmul(numpy::ones({2, 3}), numpy::ones({3, 4})) + 3.0f); };
  EXPECT_EQ(eval_shape(constant).aval_shape().to_string(), "f32[2,4]");
  const auto affine = [](Array a, Array b, Array x) { return numpy::matmul(a, x) + b; };
  const Array out = eval_shape(affine, ShapeDtypeStruct({3, 4}, float32), ShapeDtypeStruct({1, 5}, float32),
                               ShapeDtypeStruct({4, 5}, float32));
  EXPECT_EQ(out.aval_shape().to_string(), "f32[3,5]");
  error_of([&] { eval_shape(affine, numpy::ones({3, 3}), numpy::ones({1}), numpy::ones({4, 4})); },
           StatusCode::kInvalidArgument);
  EXPECT_TRUE(eval_shape(same, 1).weak_type());
  EXPECT_EQ(eval_shape([](Array x) { return jit([](Array v) { return Pair(v + 1, v + 1); })(x).first; }, 0).dtype(),
            ElementType::kS32);
  const auto text = make_hlo([](Array x) { return x + 2.0f; })(ShapeDtypeStruct({}, float32));
  EXPECT_TRUE(has(text, "f32[]")) << text;
}

// ---- leaks, names, caches
// ---------------------------------------------------------------------------------------------

TEST(LeakedTracers, AreRefusedWhereverTheyGo) {
  Array kept;
  const auto keep = [&](Array x) { return kept = x; };
  const auto refused = [](const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return has(error.what(), "leaked tracer") || has(error.what(), "which has ended");
    }
    return false;
  };
  jit(keep)(0.0f);
  EXPECT_TRUE(refused([&] { jit([&](Array) { return kept + 0.0f; })(0.0f); }));
  EXPECT_TRUE(refused([&] { jit([](Array x) { return x + 0.0f; })(kept); }));
  grad(keep)(0.0f);
  EXPECT_TRUE(refused([&] { grad([](Array x) { return x * 1.0f; })(kept); }));
  EXPECT_TRUE(refused([&] {
    jit([&](Array x) {
      jit(keep)(0.0f);
      return x + kept;
    })(2.0f);
  }));
  EXPECT_TRUE(refused([&] {
    grad([&](Array x) {
      grad(keep)(0.0f);
      return x + kept;
    })(2.0f);
  }));
  EXPECT_TRUE(refused([&] {
    jit([&](Array x) {
      grad(keep)(x);
      return x + kept;
    })(2.0f);
  }));
  Array count = 1.0f;
  lax::scan(
      [&](std::tuple<> c, std::nullopt_t) {
        count = count + 1.0f;
        return std::pair(c, std::tuple<>());
      },
      std::tuple<>(), std::nullopt, 2);
  EXPECT_TRUE(refused([&] { jit([](Array a, Array b) { return a + b; })(numpy::ones({}), count); }));
  std::string text;
  jit(keep)(numpy::ones({4, 3}, ElementType::kS32));
  try {
    kept + 1;
  } catch (const Error& error) {
    text = error.what();
  }
  EXPECT_TRUE(has(text, "s32[4,3]")) << text;
  Array state = numpy::zeros({});
  const auto grows = [&] { return state = state + 1.0f; };
  EXPECT_TRUE(refused([&] {
    jit([&] {
      state = numpy::zeros({});
      checkpoint(grows)();
      return checkpoint([&] { return grows(); })();
    })();
  }));
}

TEST(CheckingLeaks, CatchesEveryTransformationAndBlamesNobodyElse) {
  const auto scope = checking_leaks();
  std::vector<Array> kept;
  const auto keep = [&](Array x) {
    kept.push_back(x);
    return x + 0.0f;
  };
  const auto leaks = [&](const std::function<void()>& f) {
    kept.clear();
    try {
      f();
    } catch (const LeakedTracer&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(leaks([&] { jit(keep)(3.0f); }));
  EXPECT_TRUE(leaks([&] { pmap(keep)(numpy::ones({1})); }));
  kept.clear();
  vmap(same)(numpy::arange(3));
  const auto f = jit(same);
  f(3.0f);
  vmap(f)(numpy::arange(3));
  grad(f)(3.0f);
  pmap(same)(numpy::ones({1}));
  const auto loop = [](Array x) {
    return lax::scan([](Array c, Array) { return Pair(numpy::sin(c), c); }, x, numpy::arange(3)).first;
  };
  loop(1.0f);
  jvp(loop, One(3.0f), One(1.0f));
  vmap(loop)(numpy::arange(5, float32));
  jit(checkpoint([](Array x) { return x + 1.0f; }))(numpy::arange(3, float32));
  jit([](Array x) { return vjp(checkpoint([](Array v) { return numpy::maximum(v, 0.0f); }), x).first; })(1.0f);
  const auto ruled = custom_jvp([](Array y) { return y * 1.0f; }).defjvp([](One y, One t) {
    return Pair(std::get<0>(y), std::get<0>(t));
  });
  jit([&](Array y) { return ruled(y); })(3.0f);
  jit(grad([](Array a, Array x) { return numpy::sum(numpy::square(a * x - x)); }))(numpy::ones({5, 5}),
                                                                                   numpy::ones({1, 5}));
}

TEST(NamedCall, ChangesNoValue) {
  const auto sum = [](Array x) { return numpy::sum(x); };
  const auto named = named_call(sum, "test");
  const Array x = numpy::array({1.0f});
  EXPECT_EQ(jit(named)(x).item<float>(), 1);
  EXPECT_EQ(grad(named)(x).to_vector<float>(), (Floats{1}));
  EXPECT_EQ(vmap(named)(numpy::ones({2, 3})).to_vector<float>(), (Floats{3, 3}));
  EXPECT_EQ(checkpoint(named)(x).item<float>(), 1);
  const auto flagged = named_call([](bool flag, Array y) { return flag ? y : y * 0.0f; }, "flag");
  EXPECT_EQ(jit([&](Array y) { return flagged(true, y); })(5.0f).item<float>(), 5);
  EXPECT_EQ(jit(flagged)(false, 5.0f).item<float>(), 0);
}

TEST(ExplainCacheMisses, SaysStaticValuesTypesAndTheNearestTrace) {
  // so that messages of the first use are not captured
  const Array zero = block_until_ready(numpy::array(0.0f, float32) + 0.0f);
  std::vector<std::string> said;
  set_log_sink([&](LogLevel, std::string_view text) { said.emplace_back(text); });
  {
    const auto scope = explain_cache_misses(true);
    const auto f = jit([](Array x, Array y) { return numpy::sin(x) + y; }, {.name = "g"});
    f(zero, numpy::ones({4}));
    f(zero, numpy::ones({4}));
    f(0.0f, numpy::ones({4}));
    f(zero, numpy::ones({4}, ElementType::kS32));
    const auto g = jit([](Array x, std::string name) { return name.empty() ? x : -x; });
    g(1.0f, "foo");
    g(1.0f, "bar");
    const auto h = jit(same);
    h(numpy::ones({1, 2}));
    h(numpy::ones({10, 20, 30}));
    h(numpy::ones({10, 2, 30}));
  }
  set_log_sink({});
  ASSERT_EQ(said.size(), 8u);
  EXPECT_TRUE(has(said[0], "it was never called before")) << said[0];
  EXPECT_TRUE(has(said[1], "args[0] is f32[] (weakly typed), the nearest trace has f32[]")) << said[1];
  EXPECT_TRUE(has(said[2], "args[1] is s32[4]")) << said[2];
  EXPECT_TRUE(has(said[4], "static values are part of it")) << said[4];
  EXPECT_TRUE(has(said[7], "args[0] is f32[10,2,30], the nearest trace has f32[10,20,30]")) << said[7];
}

TEST(BlockUntilReady, WaitsForTreesOfAnything) {
  const auto [a, b] = block_until_ready(Pair(numpy::ones({3}) * 2.0f, 4));
  EXPECT_EQ(a.to_vector<float>(), (Floats{2, 2, 2}));
  EXPECT_EQ(b.item<int>(), 4);
}

TEST(Jit, ResultsAreFreedAsSoonAsNobodyHoldsThem) {
  const auto f = jit([](Array x) { return x + 1.0f; });
  Array x = f(numpy::ones({1000, 100}));
  const int64_t before = buffer_statistics().live_bytes;
  for (int i = 0; i < 50; ++i) x = f(x);
  EXPECT_EQ(numpy::sum(x).item<float>(), 1000 * 100 * 52.0f);
  EXPECT_LT(buffer_statistics().live_bytes, before + 3 * 400'000) << "of 50 results of 400 KB one is held";
}

}  // namespace
}  // namespace hilo
