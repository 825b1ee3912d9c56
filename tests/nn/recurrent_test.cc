// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/recurrent.h"

#include <gtest/gtest.h>

#include "hilo/transform/vmap.h"
#include "tests/nn/recorded_layers.h"
#include "tests/support/error_of.h"

namespace hilo::nn {
namespace {

std::vector<Array> columns(const Array& x, int64_t count) { return numpy::split(x, count, -1); }

TEST(Recurrent, LstmIsThatOfFlax) {
  const auto p = [](const std::string& name) { return parameter("lstm", name); };
  const auto joined = [&](const std::string& before, const std::string& after) {
    return numpy::concatenate(std::vector<Array>{p(before + "i" + after), p(before + "f" + after),
                                                 p(before + "g" + after), p(before + "o" + after)},
                              -1);
  };
  const LSTM params = {joined("i", ".kernel"), joined("h", ".kernel"), joined("h", ".bias")};
  const Array xs = get("lstm/in");
  const auto f = [](const LSTM& m, const Array& x) { return lstm(m, x).second; };
  expect_near(f(params, xs), get("lstm/out"), "lstm");
  expect_near(lstm(params, xs).first.h, get("lstm/out")(all, -1), "the last state");
  expect_near(vmap([&](const Array& x) { return f(params, x); })(xs), get("lstm/out"), "lstm without batch");
  const auto [of_params, of_xs] =
      grad<0, 1>([&](const LSTM& m, const Array& x) { return weighted_sum(f(m, x)); })(params, xs);
  expect_near(of_xs, get("lstm/grad/in"), "gradient of the input");
  const std::vector<std::string> gates = {"i", "f", "g", "o"};
  for (size_t i = 0; i < 4; ++i) {
    expect_near(columns(of_params.input, 4)[i], get("lstm/grad/i" + gates[i] + ".kernel"), "input " + gates[i]);
    expect_near(columns(of_params.hidden, 4)[i], get("lstm/grad/h" + gates[i] + ".kernel"), "hidden " + gates[i]);
    expect_near(columns(of_params.bias, 4)[i], get("lstm/grad/h" + gates[i] + ".bias"), "bias " + gates[i]);
  }
}

TEST(Recurrent, GruIsThatOfFlax) {
  const auto p = [](const std::string& name) { return parameter("gru", name); };
  const auto joined = [&](const std::string& before, const std::string& after) {
    return numpy::concatenate(
        std::vector<Array>{p(before + "r" + after), p(before + "z" + after), p(before + "n" + after)}, -1);
  };
  const GRU params = {joined("i", ".kernel"), joined("h", ".kernel"), joined("i", ".bias"), p("hn.bias")};
  const Array xs = get("gru/in");
  const auto f = [](const GRU& m, const Array& x) { return gru(m, x).second; };
  expect_near(f(params, xs), get("gru/out"), "gru");
  expect_near(gru(params, xs).first, get("gru/out")(all, -1), "the last state");
  const auto [of_params, of_xs] =
      grad<0, 1>([&](const GRU& m, const Array& x) { return weighted_sum(f(m, x)); })(params, xs);
  expect_near(of_xs, get("gru/grad/in"), "gradient of the input");
  expect_near(of_params.hidden_bias, get("gru/grad/hn.bias"), "hidden bias");
  const std::vector<std::string> gates = {"r", "z", "n"};
  for (size_t i = 0; i < 3; ++i) {
    expect_near(columns(of_params.input, 3)[i], get("gru/grad/i" + gates[i] + ".kernel"), "input " + gates[i]);
    expect_near(columns(of_params.hidden, 3)[i], get("gru/grad/h" + gates[i] + ".kernel"), "hidden " + gates[i]);
  }
}

TEST(RecurrentInit, HiddenKernelsAreOrthogonal) {
  const auto variance = [](const Array& x) { return numpy::var(x).item<double>(); };
  const LSTM l = lstm_init(random::key(0), 100, 64);
  EXPECT_NEAR(variance(l.input), 1.0 / 100, 5e-4);
  const Array square = columns(l.hidden, 4)[2];
  expect_near(numpy::matmul(numpy::transpose(square), square), numpy::eye(64), "an orthogonal kernel");
}

TEST(Recurrent, ErrorsNameWhatDoesNotFit) {
  const auto says = [](const auto& f, const std::string& part) {
    const std::string text = error_of(f, StatusCode::kInvalidArgument);
    return text.find(part) != std::string::npos ? part : text;
  };
  const auto holds = [&](const auto& f, const std::string& part) { EXPECT_EQ(says(f, part), part); };
  holds([] { lstm(lstm_init(random::key(0), 3, 2), numpy::ones({3})); },
        "wanted [batch, positions, in] or [positions, in]; got f32[3]");
}

}  // namespace
}  // namespace hilo::nn
