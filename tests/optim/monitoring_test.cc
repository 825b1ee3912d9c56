// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/monitoring.h"

#include <gtest/gtest.h>

#include "hilo/optim/optim.h"
#include "hilo/transform/jit.h"

namespace hilo::optim {
namespace {

const Measure kNorm = [](const Leaves& updates) { return global_norm(updates); };

TEST(Snapshot, KeepsTheLastMeasure) {
  const GradientTransformation tx = chain(snapshot("norm", kNorm), clip_by_global_norm(1.0));
  const Array p = numpy::array({0.0f, 2.0f}), g = numpy::array({3.0f, 4.0f});
  const OptState first = tx.init(p);
  EXPECT_EQ(first.inner[0].fields.at("norm")[0].item<float>(), 2);
  const auto [updates, state] = jit([&](Array u, OptState s) { return tx.update(u, s); })(g, first);
  EXPECT_EQ(state.inner[0].fields.at("norm")[0].item<float>(), 5);
  EXPECT_FLOAT_EQ(updates[1].item<float>(), 0.8f);
}

TEST(Monitor, KeepsMeasuresAndTheirMeans) {
  const GradientTransformation tx = monitor({{"norm", kNorm}, {"mean", measure_with_ema(kNorm, 0.5)}});
  const Array g = numpy::array({3.0f, 4.0f});
  auto [updates, state] = tx.update(g, tx.init(g));
  std::tie(updates, state) = tx.update(2.0f * g, state);
  EXPECT_EQ(updates[0].item<float>(), 6);
  EXPECT_EQ(state.fields.at("norm")[0].item<float>(), 10);
  EXPECT_FLOAT_EQ(state.fields.at("mean")[0].item<float>(), 6.25f / 0.75f);  // (5 / 4 + 10 / 2) / (1 - 1/4)
}

TEST(Monitor, RefusesAnothersState) {
  const Array g = numpy::ones({2});
  EXPECT_THROW((void)monitor({{"norm", kNorm}}).update(g, sgd(0.1).init(g)), Error);
}

}  // namespace
}  // namespace hilo::optim
