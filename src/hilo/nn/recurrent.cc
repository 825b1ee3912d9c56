// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/recurrent.h"

#include <fmt/format.h>

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/nn/activations.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"

namespace hilo::nn {
namespace {

/// Joins `n` kernels, each sampled with its own key.
Array side_by_side(const random::Key& key, const initializers::Initializer& init, int64_t in, int64_t out,
                   int64_t count) {
  std::vector<Array> kernels;
  for (const random::Key& one : random::split(key, count)) kernels.push_back(init(one, {in, out}));
  return numpy::concatenate(kernels, 1);
}

void check_sizes(const char* function, int64_t in_features, int64_t features) {
  if (in_features < 1 || features < 1) {
    refuse(function, fmt::format("sizes {} and {}; wanted at least 1", in_features, features));
  }
}

/// Returns zeros for each sequence of xs[..., positions, in].
Array start_of(const char* function, const Array& xs, const Array& hidden) {
  if (xs.ndim() != 2 && xs.ndim() != 3) {
    refuse(function, "wanted [batch, positions, in] or [positions, in]; got " + xs.aval_shape().to_string());
  }
  std::vector<int64_t> sizes(xs.shape().begin(), xs.shape().end() - 2);
  sizes.push_back(hidden.shape(0));
  return numpy::zeros(sizes, hidden.dtype());
}

/// Scans along the second-to-last axis, and stacks the results there.
template <typename Step, typename State>
std::pair<State, Array> along_positions(const Step& step, const State& start, const Array& xs) {
  const bool batched = xs.ndim() == 3;
  const auto [last, ys] = lax::scan(step, start, batched ? numpy::swapaxes(xs, 0, 1) : xs);
  return {last, batched ? numpy::swapaxes(ys, 0, 1) : ys};
}

}  // namespace

LSTM lstm_init(const random::Key& key, int64_t in_features, int64_t features, numpy::Line line) {
  const UserLocation here(line);
  check_sizes("lstm_init", in_features, features);
  const std::vector<random::Key> keys = random::split(key);
  return {side_by_side(keys[0], initializers::lecun_normal(), in_features, features, 4),
          side_by_side(keys[1], initializers::orthogonal(), features, features, 4), numpy::zeros({4 * features})};
}

LSTMState lstm_cell(const LSTM& params, const LSTMState& state, const Operand& x) {
  const UserLocation here(x.location());
  const Array all = numpy::matmul(x, params.input) + numpy::matmul(state.h, params.hidden) + params.bias;
  const std::vector<Array> gates = numpy::split(all, 4, -1);
  const Array c = sigmoid(gates[1]) * state.c + sigmoid(gates[0]) * tanh(gates[2]);
  return {c, sigmoid(gates[3]) * tanh(c)};
}

std::pair<LSTMState, Array> lstm(const LSTM& params, const LSTMState& start, const Operand& xs) {
  const UserLocation here(xs.location());
  const auto step = [&](const LSTMState& state, const Array& x) {
    const LSTMState next = lstm_cell(params, state, x);
    return std::pair(next, next.h);
  };
  return along_positions(step, start, xs);
}

std::pair<LSTMState, Array> lstm(const LSTM& params, const Operand& xs) {
  const UserLocation here(xs.location());
  const Array zero = start_of("lstm", xs, params.hidden);
  return lstm(params, {zero, zero}, xs);
}

GRU gru_init(const random::Key& key, int64_t in_features, int64_t features, numpy::Line line) {
  const UserLocation here(line);
  check_sizes("gru_init", in_features, features);
  const std::vector<random::Key> keys = random::split(key);
  return {side_by_side(keys[0], initializers::lecun_normal(), in_features, features, 3),
          side_by_side(keys[1], initializers::orthogonal(), features, features, 3), numpy::zeros({3 * features}),
          numpy::zeros({features})};
}

Array gru_cell(const GRU& params, const Array& h, const Operand& x) {
  const UserLocation here(x.location());
  const std::vector<Array> own = numpy::split(numpy::matmul(x, params.input) + params.bias, 3, -1);
  const std::vector<Array> before = numpy::split(numpy::matmul(h, params.hidden), 3, -1);
  const Array r = sigmoid(own[0] + before[0]), z = sigmoid(own[1] + before[1]);
  const Array n = tanh(own[2] + r * (before[2] + params.hidden_bias));
  return (1 - z) * n + z * h;
}

std::pair<Array, Array> gru(const GRU& params, const Array& start, const Operand& xs) {
  const UserLocation here(xs.location());
  const auto step = [&](const Array& h, const Array& x) {
    const Array next = gru_cell(params, h, x);
    return std::pair(next, next);
  };
  return along_positions(step, start, xs);
}

std::pair<Array, Array> gru(const GRU& params, const Operand& xs) {
  const UserLocation here(xs.location());
  return gru(params, start_of("gru", xs, params.hidden), xs);
}

}  // namespace hilo::nn
